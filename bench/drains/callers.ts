import { Agent, request } from 'node:http'
import { credentials, type ServiceError } from '@grpc/grpc-js'
import { PermissionServiceClient } from '../../gen/daikon/v1/permissions.ts'
import { readStatusDetails } from '../../test/support/status-details.ts'
import { createMetadata } from '../../test/support/transports.ts'

export type Callers = ReturnType<typeof createCallers>

type Target = { httpPort: number; grpcPort: number; token: string; key: string }

/** Calls a proxy over both transports without retries, and records the calls that are lost. */
export function createCallers({ httpPort, grpcPort, token, key }: Target) {
  /** Successful calls. */
  const calls = { rest: 0, grpc: 0 }
  /** Calls that no node has responded to. */
  const failures: string[] = []
  /** Calls that a node has responded to with `unavailable`, with its reason. */
  const refusals: string[] = []

  const agent = new Agent({ keepAlive: true })
  function callRest(method: string, path: string, body?: object): Promise<void> {
    return new Promise((resolve) => {
      const fail = (reason: unknown) => {
        failures.push(`${new Date().toISOString()} REST ${method} ${path}: ${reason}`)
        resolve()
      }
      const headers = {
        authorization: `Bearer ${token}`,
        'x-service-key': key,
        ...(body && { 'content-type': 'application/json' }),
      }
      const options = { agent, method, path, headers, host: '127.0.0.1', port: httpPort }
      request(options, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk) => chunks.push(chunk)).once('error', fail)
        response.once('end', () => {
          const { statusCode: status = 0, headers } = response
          if (status === 503 && headers['x-request-id'])
            refusals.push(
              `${new Date().toISOString()} REST ${method} ${path}: ${Buffer.concat(chunks)}`,
            )
          else if (status >= 300) return fail(status)
          else calls.rest += 1
          resolve()
        })
      })
        .once('error', fail)
        .end(body && JSON.stringify(body))
    })
  }

  const client = new PermissionServiceClient(
    `127.0.0.1:${grpcPort}`,
    credentials.createInsecure(),
    // Retries would hide lost calls.
    { 'grpc.enable_retries': 0 },
  )
  const metadata = createMetadata({ token, key })
  function callGrpc(name: 'check' | 'share', message: object): Promise<void> {
    return new Promise((resolve) => {
      const deadline = { deadline: Date.now() + 30_000 }
      const onEnd = (error: ServiceError | null) => {
        if (error?.metadata.get('x-request-id').length) {
          const { reason } = readStatusDetails(error.metadata)
          refusals.push(
            `${new Date().toISOString()} gRPC ${name}: ${reason} (${error.code}) ${error.details}`,
          )
        } else if (error)
          failures.push(`${new Date().toISOString()} gRPC ${name}: ${error.message}`)
        else calls.grpc += 1
        resolve()
      }
      if (name === 'check') client.check(message as never, metadata, deadline, onEnd)
      else client.share(message as never, metadata, deadline, onEnd)
    })
  }

  return {
    calls,
    failures,
    refusals,
    callRest,
    callGrpc,
    close() {
      client.close()
      agent.destroy()
    },
  }
}
