import { randomUUID } from 'node:crypto'
import { readKeys } from '../src/identity/keys.ts'
import { createTokens } from '../src/identity/tokens.ts'
import { idOf, serviceKey } from './data-set.ts'
import { headersFrame } from './http2-frames.ts'
import type { Place } from './place.ts'

/** Signs an access token of the nth user for a workspace. */
export type Sign = (user: number, workspace: number) => Promise<string>

/** Tokens that the servers of the bench believe, for an hour. */
export async function createSigner({ keyPaths }: Place): Promise<Sign> {
  const keys = await readKeys(keyPaths)
  const tokens = createTokens({ keys, issuer: 'http://localhost:8000', now: () => new Date() })
  return (user, workspace) =>
    tokens.sign(
      'access',
      {
        sub: idOf('u', user),
        jti: randomUUID(),
        email: `user${user}@example.com`,
        name: `User ${user}`,
        wid: idOf('w', workspace),
        wslug: `w${workspace}`,
        wrole: 'viewer',
        groups: [],
      },
      3600,
    )
}

/** The HEADERS frame of a gRPC call. */
export function grpcHead(path: string, token: string): Buffer {
  return headersFrame({
    ':method': 'POST',
    ':scheme': 'http',
    ':path': path,
    ':authority': 'localhost',
    'content-type': 'application/grpc',
    te: 'trailers',
    authorization: `Bearer ${token}`,
    'x-service-key': serviceKey,
  })
}

/** The lines before an HTTP/1.1 body. */
export function http1Head(path: string, token: string, length: number): Buffer {
  const lines = [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/json',
    `Content-Length: ${length}`,
    `Authorization: Bearer ${token}`,
    `X-Service-Key: ${serviceKey}`,
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)
}
