import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { Client, credentials, Metadata } from '@grpc/grpc-js'
import {
  PermissionCheckRequest,
  PermissionCheckResponse,
  PermissionServiceService,
} from '../gen/daikon/v1/permissions.ts'
import type { Tokens } from '../src/identity/tokens.ts'
import { idOf, kind, type Size, serviceKey } from './data-set.ts'
import { unaryRequest } from './http2-frames.ts'

const path = PermissionServiceService.check.path

/**
 * Distinct requests, each another user, half of them about what is shared with the user; the answers
 * that have to come back are fetched once by an ordinary client.
 */
export async function prepareRequests(
  port: number,
  tokens: Tokens,
  size: Size,
  items: number,
  count: number,
): Promise<{ expect: (file: string, floor: boolean) => void; allowed: number }> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure())
  const rows: { headers: Record<string, string>; body: Buffer; answer: Buffer; open: Buffer }[] = []
  let allowed = 0
  for (let n = 0; n < count; n += 1) {
    const user = pick(size.users)
    const token = await tokens.sign('access', claims(user, size), 3600)
    const checks = Array.from({ length: items }, (_, at) => ({
      ...kind,
      resource_id: idOf('r', at % 2 === n % 2 ? ownResource(user, size) : anyResource(user, size)),
      action: pick(2) ? 'view' : 'edit',
    }))
    const body = Buffer.from(PermissionCheckRequest.encode({ checks }).finish())
    const response = await call(client, token, body)
    allowed += response.results.filter((result) => result.allowed).length
    const all = { results: response.results.map((result) => ({ ...result, allowed: true })) }
    rows.push({
      headers: {
        ':method': 'POST',
        ':scheme': 'http',
        ':path': path,
        ':authority': 'localhost',
        'content-type': 'application/grpc',
        te: 'trailers',
        authorization: `Bearer ${token}`,
        'x-service-key': serviceKey,
      },
      body,
      answer: Buffer.from(PermissionCheckResponse.encode(response).finish()),
      open: Buffer.from(PermissionCheckResponse.encode(all).finish()),
    })
  }
  client.close()
  return {
    allowed: allowed / (count * items),
    expect: (file, floor) => {
      const lines = rows.map(({ headers, body, answer, open }) => {
        const request = unaryRequest(headers, body).toString('base64')
        return `${request} ${(floor ? open : answer).toString('base64')}\n`
      })
      writeFileSync(file, lines.join(''))
    },
  }
}

function call(client: Client, token: string, body: Buffer): Promise<PermissionCheckResponse> {
  const metadata = new Metadata()
  metadata.set('authorization', `Bearer ${token}`)
  metadata.set('x-service-key', serviceKey)
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      path,
      (bytes: Buffer) => bytes,
      (bytes) => PermissionCheckResponse.decode(bytes),
      body,
      metadata,
      (error, response) => (response ? resolve(response) : reject(error)),
    )
  })
}

function claims(user: number, { workspaces }: Size) {
  const home = user % workspaces
  return {
    sub: idOf('u', user),
    jti: randomUUID(),
    email: `user${user}@example.com`,
    name: `User ${user}`,
    wid: idOf('w', home),
    wslug: `w${home}`,
    wrole: 'viewer' as const,
    groups: Array.from({ length: 4 }, (_, n) => idOf('g', n)),
  }
}

/** A resource of the user's workspace. */
function anyResource(user: number, { workspaces, resources }: Size): number {
  return pick(resources / workspaces) * workspaces + (user % workspaces)
}

/** One that is shared with the user, as data-set.ts shares them; any where none is found soon. */
function ownResource(user: number, size: Size): number {
  const { users, workspaces } = size
  for (let tries = 0; tries < 3000; tries += 1) {
    const n = anyResource(user, size)
    const members = users / workspaces
    if ((n * 7919 + 1) % members === Math.floor(user / workspaces)) return n
  }
  return anyResource(user, size)
}

function pick(below: number): number {
  return Math.floor(Math.random() * below)
}
