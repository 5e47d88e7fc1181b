import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { Client, credentials } from '@grpc/grpc-js'
import { readKeys } from '../../src/identity/keys.ts'
import { createTokens } from '../../src/identity/tokens.ts'
import { readRegistry } from '../../src/rpc/descriptors.ts'
import { createOperations } from '../../src/rpc/operation.ts'
import { createHandlers } from '../../src/server/handlers.ts'
import { createTransports } from './create-transports.ts'
import type { TestDatabase } from './database.ts'
import { createSeed } from './seed.ts'
import type { ServerProcess } from './server-process.ts'

/** Creates transports, a seed and a token signer for a server in a separate process. */
export async function connectToServer(
  folder: string,
  server: ServerProcess,
  { pool }: Pick<TestDatabase, 'pool'>,
) {
  const operations = createOperations(
    readRegistry(),
    createHandlers({ database: {}, engine: {}, settings: {} } as never),
  )
  const paths = { privatePath: join(folder, 'private.pem'), publicPath: join(folder, 'public.pem') }
  const keys = await readKeys(paths)
  const tokens = createTokens({
    currentKeys: () => keys,
    issuer: 'http://localhost:8000',
    now: () => new Date(),
  })
  const token = (sub: string, wid: string) => {
    const userClaims = { sub, jti: randomUUID(), email: 'someone@example.com', name: 'someone' }
    const workspaceClaims = { wid, wslug: 'w', wrole: 'viewer' as const, groups: [] }
    return tokens.sign('access', { ...userClaims, ...workspaceClaims }, 900)
  }
  const app = { operations } as Parameters<typeof createTransports>[0]
  return { transports: createTransports(app, server), seed: createSeed(pool), tokens, token }
}

/** Returns the overall status in `grpc.health.v1`, or an error code such as `code 14`. */
export function checkHealth({ grpcPort }: Pick<ServerProcess, 'grpcPort'>): Promise<string> {
  const client = new Client(`127.0.0.1:${grpcPort}`, credentials.createInsecure())
  const same = (bytes: Buffer) => bytes
  const path = '/grpc.health.v1.Health/Check'
  return new Promise<string>((resolve) => {
    client.makeUnaryRequest(path, same, same, Buffer.alloc(0), (error, response) => {
      // HealthCheckResponse: `status` is field 1, so the second byte is its value.
      const status = ['UNKNOWN', 'SERVING', 'NOT_SERVING'][response?.[1] ?? 0]
      resolve(error ? `code ${error.code}` : String(status))
    })
  }).finally(() => client.close())
}
