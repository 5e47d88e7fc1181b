import type {
  ConnectionProviderSource,
  SessionScope,
  SignedIn,
  SignInConnections,
} from './ports.ts'
import { readConnectionId } from './providers/connection.ts'
import { failure } from './sign-in-result.ts'
import { connectionSession } from './user-errors.ts'

const noConnections: SignInConnections = {
  existsAny: async () => false,
  findActive: async () => undefined,
  findIdByDomain: async () => undefined,
  hasVerifiedDomain: async () => false,
  join: async () => failure('access_denied', 'the server has no connections'),
}

const beganElsewhere = ({ provider }: SignedIn) => readConnectionId(provider) === undefined

/** Sessions that began through a connection may be used nowhere. */
const scopeWithoutConnections: SessionScope = {
  filter: async (session, workspaces) => (beganElsewhere(session) ? workspaces : []),
  find: async (session) => ({ isAllowed: beganElsewhere(session) }),
  async require(session) {
    if (!beganElsewhere(session)) throw connectionSession()
  },
}

/** What identity finds on a server without connections. */
export const defaultIdentityPorts = {
  sessionScope: () => scopeWithoutConnections,
  signInConnections: () => noConnections,
}

/** Never asked, because no connection is found. */
export const noConnectionProviders: ConnectionProviderSource = {
  providerOf() {
    throw new Error('The server has no connections')
  },
}
