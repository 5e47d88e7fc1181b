import { randomUUID } from 'node:crypto'
import { readKeys } from '../src/identity/keys.ts'
import { createTokens, type Tokens } from '../src/identity/tokens.ts'
import type { BenchDatabase } from './bench-database.ts'
import { idOf, serviceKey } from './data-set.ts'
import { grpcHeadersFrame } from './http2-frames.ts'

/** Signs an access token of the nth user for a workspace, for one API if its URI is given. */
export type SignToken = (user: number, workspace: number, api?: string) => Promise<string>

/** Creates a signer of tokens that the servers of the benchmark accept for one hour. */
export async function createSigner(database: SigningDatabase): Promise<SignToken> {
  const tokens = await openTokens(database)
  return (user, workspace, api) => {
    const ids = { sub: idOf('u', user), jti: randomUUID(), wid: idOf('w', workspace) }
    if (api !== undefined) {
      const claims = { ...ids, client_id: randomUUID(), scope: 'read' }
      return tokens.signForResource(claims, api, 3600, new Date())
    }
    const claims = {
      ...ids,
      email: `user${user}@example.com`,
      name: `User ${user}`,
      wslug: `w${workspace}`,
      wrole: 'viewer' as const,
      groups: [],
    }
    return tokens.sign('access', claims, 3600)
  }
}

/** The delegation of each user for whom an agent acts. */
export type Delegations = ReadonlyMap<number, { id: string; agentId: string }>

/** Creates a signer of tokens by which agents act for users, also accepted for one hour. */
export async function createDelegatedSigner(
  database: SigningDatabase,
  delegations: Delegations,
): Promise<SignToken> {
  const tokens = await openTokens(database)
  return async (user, workspace) => {
    const delegation = delegations.get(user)
    if (!delegation) throw new Error(`No delegation of user ${user}`)
    const { id: delegation_id, agentId } = delegation
    const act = { sub: agentId, typ: 'service_account' as const }
    const ids = { sub: idOf('u', user), jti: randomUUID(), wid: idOf('w', workspace) }
    return tokens.signDelegated({ ...ids, act, delegation_id }, undefined, 3600, new Date())
  }
}

type SigningDatabase = Pick<BenchDatabase, 'keyPaths'>

async function openTokens({ keyPaths }: SigningDatabase): Promise<Tokens> {
  const keys = await readKeys(keyPaths)
  return createTokens({
    currentKeys: () => keys,
    issuer: 'http://localhost:8000',
    now: () => new Date(),
  })
}

/**
 * Returns the HEADERS frame of a gRPC call with a service key and, if present, a user's access
 * token.
 */
export function grpcHead(path: string, token?: string): Buffer {
  return grpcHeadersFrame(path, {
    ...(token && { authorization: `Bearer ${token}` }),
    'x-service-key': serviceKey,
  })
}

/** Returns the request line and headers of a POST request with a JSON body. */
export function http1Head(path: string, token: string, length: number): Buffer {
  return http1Lines(`POST ${path}`, token, {
    'Content-Type': 'application/json',
    'Content-Length': String(length),
    'X-Service-Key': serviceKey,
  })
}

/** Returns the request line and headers of an HTTP/1.1 request with a user's access token. */
export function http1Lines(
  methodAndPath: string,
  token: string,
  headers: Record<string, string>,
): Buffer {
  const all = { Host: 'localhost', Authorization: `Bearer ${token}`, ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return Buffer.from(`${[`${methodAndPath} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`)
}
