import { Server, ServerCredentials } from '@grpc/grpc-js'
import { PermissionServiceService } from '../gen/daikon/v1/permissions.ts'
import { startEmbedded } from '../src/database/embedded/embedded-postgres.ts'

/**
 * The startup baseline: Node.js, embedded PostgreSQL and a grpc-js server with an empty handler.
 */
const { DATA_DIR = '', GRPC_PORT } = process.env
const embedded = await startEmbedded({ dataDir: DATA_DIR })
const server = new Server()
const { check } = PermissionServiceService
server.addService(
  { check },
  {
    check: (_call: object, callback: (error: null, response: object) => void) =>
      callback(null, { results: [] }),
  },
)
server.bindAsync(`127.0.0.1:${GRPC_PORT}`, ServerCredentials.createInsecure(), (error) => {
  if (error) throw error
})
process.once('SIGTERM', async () => {
  await embedded.stop()
  process.exit()
})
