import cluster from 'node:cluster'
import { once } from 'node:events'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import { AccessServiceService, type EvaluateBatchResponse } from '../gen/daikon/v1/access.ts'
import {
  type PermissionCheckResponse,
  PermissionServiceService,
} from '../gen/daikon/v1/permissions.ts'
import { serveState } from './child-process.ts'

/**
 * The gRPC baseline: grpc-js handlers that receive and send the same bytes and credentials but do
 * nothing else. The argument is the number of processes that share its port, as WORKERS is for
 * the server.
 */
const processes = Number(process.argv[2] ?? 1)

if (cluster.isPrimary && processes > 1) {
  const workers = Array.from({ length: processes }, () => cluster.fork())
  const [ports] = await Promise.all(
    workers.map(async (worker) => (await once(worker, 'message'))[0]),
  )
  serveState(ports)
} else {
  const port = await listen()
  if (cluster.isWorker) process.send?.({ port })
  else serveState({ port })
}

function listen(): Promise<number> {
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
  const { evaluateBatch } = AccessServiceService
  server.addService(
    { evaluateBatch },
    {
      evaluateBatch(
        call: { request: { evaluations: object[] } },
        callback: (error: null, response: EvaluateBatchResponse) => void,
      ) {
        callback(null, { evaluations: call.request.evaluations.map(() => ({ decision: true })) })
      },
    },
  )
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    )
  })
}
