import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import pg from 'pg'
import {
  PermissionCheckRequest,
  PermissionCheckResponse,
  PermissionServiceService,
} from '../gen/daikon/v1/permissions.ts'
import { readKeys } from '../src/identity/keys.ts'
import { createTokens } from '../src/identity/tokens.ts'
import { createAsker } from './asker.ts'
import { idOf, kind, serviceKey } from './data-set.ts'
import { unaryRequest } from './http2-frames.ts'
import type { Place } from './place.ts'
import { createPicker, type Pick, type Reach, reachOf } from './reach.ts'

/** Files of prepared requests for the two servers, and the share of items that is allowed. */
export type Requests = { floor: string; daikon: string; allowed: number }

const path = PermissionServiceService.check.path

/**
 * Makes `count` distinct requests, each by another user, every other item about something shared
 * with the user or a group of theirs. An ordinary client fetches the answers that have to come
 * back; where a share alone decides, they are compared with it.
 */
export async function prepareRequests(
  place: Place,
  port: number,
  items: number,
  count: number,
): Promise<Requests> {
  const keys = await readKeys(place.keyPaths)
  const tokens = createTokens({ keys, issuer: 'http://localhost:8000', now: () => new Date() })
  const database = new pg.Client({ connectionString: place.url })
  await database.connect()
  const asker = createAsker(port, path, serviceKey)
  const pick = createPicker(items)
  const files = { floor: '', daikon: '' }
  let allowed = 0
  try {
    for (let n = 0; n < count; n += 1) {
      const user = pick(place.size.users)
      const reach = await reachOf(database, user, place.size, pick)
      const asked = askFor(reach, pick, items, n)
      const token = await tokens.sign('access', claims(user, place.size.workspaces), 3600)
      const checks = asked.map(({ resource_id, action }) => ({ ...kind, resource_id, action }))
      const body = Buffer.from(PermissionCheckRequest.encode({ checks }).finish())
      const response = PermissionCheckResponse.decode(await asker.ask(token, body))
      const { results } = response
      for (const [at, { must }] of asked.entries()) {
        if (must && !results[at]?.allowed) throw new Error(`denied a share: ${user}, item ${at}`)
      }
      allowed += results.filter((result) => result.allowed).length
      const open = { results: results.map((result) => ({ ...result, allowed: true })) }
      const request = unaryRequest(headers(token), body).toString('base64')
      files.floor += `${request} ${base64(open)}\n`
      files.daikon += `${request} ${base64(response)}\n`
    }
  } finally {
    asker.close()
    await database.end()
  }
  const name = (server: string) => `${place.folder}/${server}-${items}`
  for (const [server, lines] of Object.entries(files)) writeFileSync(name(server), lines)
  return { floor: name('floor'), daikon: name('daikon'), allowed: allowed / (count * items) }
}

/** `must`: what the share says has to be allowed; of the others the client's answer is taken. */
function askFor({ shared, any }: Reach, pick: Pick, items: number, n: number) {
  return Array.from({ length: items }, (_, at) => {
    const action = pick(2) ? 'view' : 'edit'
    const share = at % 2 === n % 2 ? shared[pick(shared.length)] : undefined
    if (!share) return { action, resource_id: any(), must: false }
    const must = action === 'view' || share.permission === 'edit'
    return { action, resource_id: share.resource_id, must }
  })
}

function headers(token: string): Record<string, string> {
  return {
    ':method': 'POST',
    ':scheme': 'http',
    ':path': path,
    ':authority': 'localhost',
    'content-type': 'application/grpc',
    te: 'trailers',
    authorization: `Bearer ${token}`,
    'x-service-key': serviceKey,
  }
}

function claims(user: number, workspaces: number) {
  const home = user % workspaces
  return {
    sub: idOf('u', user),
    jti: randomUUID(),
    email: `user${user}@example.com`,
    name: `User ${user}`,
    wid: idOf('w', home),
    wslug: `w${home}`,
    wrole: 'viewer' as const,
    groups: [],
  }
}

function base64(response: PermissionCheckResponse): string {
  return Buffer.from(PermissionCheckResponse.encode(response).finish()).toString('base64')
}
