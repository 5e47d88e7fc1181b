import { Server, ServerCredentials, type ServiceError, type status } from '@grpc/grpc-js'
import type { ExecutionContext } from 'ava'
import { createDaikon, type DaikonOptions } from '../../clients/typescript/src/daikon.ts'
import {
  AccessServiceService,
  type EvaluateBatchRequest,
  type EvaluateBatchResponse,
} from '../../clients/typescript/src/gen/daikon/v1/access.ts'
import {
  PermissionServiceService,
  type RegisterResourceRequest,
} from '../../clients/typescript/src/gen/daikon/v1/permissions.ts'

/** Returns the results of a batch, or throws the gRPC status of an error. */
type Evaluate = (request: EvaluateBatchRequest) => Promise<boolean[]> | boolean[]

/** A gRPC error of the stub. */
export class StubError extends Error {
  readonly code: status

  constructor(code: status) {
    super('an error of the stub')
    this.code = code
  }
}

/** Starts a gRPC server that evaluates batches with a function, and creates a client for it. */
export async function startStub(
  t: ExecutionContext,
  evaluate: Evaluate,
  options: Partial<DaikonOptions> = {},
) {
  const batches: EvaluateBatchRequest[] = []
  const registrations: RegisterResourceRequest[] = []
  const server = new Server()
  const respond = async (request: EvaluateBatchRequest): Promise<EvaluateBatchResponse> => {
    batches.push(request)
    const results = await evaluate(request)
    return { evaluations: results.map((decision) => ({ decision })) }
  }
  server.addService(AccessServiceService, {
    evaluateBatch: (
      call: { request: EvaluateBatchRequest },
      callback: (error: Partial<ServiceError> | null, response?: EvaluateBatchResponse) => void,
    ) => {
      respond(call.request).then(
        (response) => callback(null, response),
        (error) => callback({ code: error.code, details: error.message }),
      )
    },
  })
  server.addService(PermissionServiceService, {
    revokeShare: (
      call: { request: RegisterResourceRequest },
      callback: (error: Partial<ServiceError> | null, response?: object) => void,
    ) => {
      registrations.push(call.request)
      callback({ code: 14, details: 'away' })
    },
    transferOwnership: (
      call: { request: RegisterResourceRequest },
      callback: (error: Partial<ServiceError> | null, response?: object) => void,
    ) => {
      registrations.push(call.request)
      callback({ code: 14, details: 'away' })
    },
  })
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    )
  })
  const daikon = createDaikon({
    address: `127.0.0.1:${port}`,
    service: 'docs',
    serviceKey: 'dk_stub',
    deadlineMs: 30_000,
    ...options,
  })
  t.teardown(() => {
    daikon.close()
    server.forceShutdown()
  })
  return { daikon, batches, registrations, port, server }
}
