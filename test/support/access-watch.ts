import { credentials as channel, type ServiceError } from '@grpc/grpc-js'
import type { Pool } from 'pg'
import type { AccessBookmark, WatchAccessResponse } from '../../gen/daikon/v1/access_keys.ts'
import { PermissionServiceClient } from '../../gen/daikon/v1/permissions.ts'
import { historyOf } from '../../src/access-keys/position.ts'
import { readStatusDetails } from './status-details.ts'
import { createMetadata, type PresentedCredentials } from './transports.ts'
import { waitUntil } from './wait-until.ts'
import { readEvents } from './watch.ts'

export type AccessWatchRequest = {
  service_name: string
  resource_types?: string[]
  cursor?: string
  last_event_id?: string
}

/** What a stream has said about a resource. */
export type AccessRow = NonNullable<WatchAccessResponse['upsert']>

/** The reason that ended a stream, and the cursor after which to continue. */
type End = { reason: string | undefined; cursor?: string }

/** An open stream of access keys and what it has received. */
export type OpenAccessWatch = {
  messages: WatchAccessResponse[]
  /** What the stream has said so far, by `<type>/<id>`. */
  rows(): Map<string, AccessRow>
  row(resource: { resource_id: string }): AccessRow | undefined
  bookmarks(): AccessBookmark[]
  /** Waits until the stream has sent everything that was committed before the call. */
  settle(): Promise<AccessBookmark>
  ended: Promise<End>
  stop(): void
}

type Environment = { grpcPort: number; httpPort: number; pool: Pool }

/** Opens a stream of access keys over either transport. */
export const openAccessWatchOver = { grpc: openGrpc, rest: openRest }

function openGrpc(
  environment: Environment,
  request: AccessWatchRequest,
  credentials: PresentedCredentials,
): OpenAccessWatch {
  const address = `127.0.0.1:${environment.grpcPort}`
  const client = new PermissionServiceClient(address, channel.createInsecure())
  const metadata = createMetadata(credentials)
  const stream = client.watchAccess({ resource_types: [], ...request }, metadata)
  const messages: WatchAccessResponse[] = []
  stream.on('data', (message) => messages.push(message))
  const ended = new Promise<End>((resolve) => {
    stream.on('end', () => resolve({ reason: undefined }))
    stream.on('error', (error: ServiceError) => {
      const { reason, metadata: info } = readStatusDetails(error.metadata) as {
        reason: string
        metadata?: Record<string, string>
      }
      resolve({ reason, ...(info?.cursor && { cursor: JSON.parse(info.cursor) }) })
    })
  }).finally(() => client.close())
  return { ...reader(environment.pool, messages), ended, stop: () => stream.cancel() }
}

function openRest(
  environment: Environment,
  { resource_types = [], last_event_id, ...parameters }: AccessWatchRequest,
  credentials: PresentedCredentials,
): OpenAccessWatch {
  const query = new URLSearchParams(parameters)
  for (const type of resource_types) query.append('resource_types', type)
  const headers = {
    ...credentials.headers,
    ...(last_event_id && { 'last-event-id': last_event_id }),
  }
  const url = `http://127.0.0.1:${environment.httpPort}/permissions/access/watch?${query}`
  const messages: WatchAccessResponse[] = []
  let cursor: string | undefined
  const { ended, stop } = readEvents(url, { ...credentials, headers }, (type, data) => {
    if (type === 'error') cursor = data.cursor
    else messages.push({ [type]: data })
  })
  const end = ended.then((reason) => ({ reason, ...(cursor && { cursor }) }))
  return { ...reader(environment.pool, messages), ended: end, stop }
}

function reader(pool: Pool, messages: WatchAccessResponse[]) {
  const bookmarks = () => messages.flatMap(({ bookmark }) => bookmark ?? [])
  const rows = () => {
    const found = new Map<string, AccessRow>()
    for (const { begin, upsert, remove } of messages) {
      if (begin) found.clear()
      if (upsert) found.set(nameOf(upsert), upsert)
      if (remove) found.delete(nameOf(remove))
    }
    return found
  }
  return {
    messages,
    bookmarks,
    rows,
    row: ({ resource_id }: { resource_id: string }) =>
      [...rows().values()].find((row) => row.resource_id === resource_id),
    async settle() {
      await waitUntil(() => bookmarks().length > 0)
      const { rows: found } = await pool.query(
        'select facts_identity() as identity, pg_snapshot_xmax(pg_current_snapshot())::text as number',
      )
      const { identity, number } = found[0]
      const covers = ({ position, complete }: AccessBookmark) => {
        const [history, reached] = position.split('-')
        return complete && history === historyOf(identity) && Number(reached) >= Number(number)
      }
      await waitUntil(() => covers(bookmarks().at(-1) as AccessBookmark))
      return bookmarks().at(-1) as AccessBookmark
    },
  }
}

function nameOf({ resource_type, resource_id }: { resource_type: string; resource_id: string }) {
  return `${resource_type}/${resource_id}`
}
