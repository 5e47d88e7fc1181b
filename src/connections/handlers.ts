import {
  createConnection,
  deleteConnection,
  getConnection,
  listConnections,
} from './connections.ts'
import { discoverIssuer } from './discover-issuer.ts'
import { verifyConnectionDomain } from './domain-verification.ts'
import { updateConnection } from './update-connection.ts'

const handlers = {
  listConnections,
  createConnection,
  discoverIssuer,
  getConnection,
  updateConnection,
  deleteConnection,
  verifyConnectionDomain,
}

/** The handlers of connections, by service. */
export const connectionHandlers = { AdminService: handlers, ConnectionService: handlers }
