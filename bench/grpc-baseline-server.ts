import { Server, ServerCredentials } from '@grpc/grpc-js'
import {
  type PermissionCheckResponse,
  PermissionServiceService,
} from '../gen/daikon/v1/permissions.ts'
import { serveState } from './child-process.ts'

/** The baseline of gRPC: a grpc-js handler that does nothing with the same bytes and credentials. */
const server = new Server()
const { check } = PermissionServiceService
server.addService(
  { check },
  {
    check(
      call: { request: { checks: object[] } },
      callback: (error: null, response: PermissionCheckResponse) => void,
    ) {
      const results = call.request.checks.map((item) => ({ ...item, allowed: true }))
      callback(null, { results } as PermissionCheckResponse)
    },
  },
)
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error
  serveState({ port })
})
