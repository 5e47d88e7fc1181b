import { type Accepted, findUntil, inheritKeyOf, readOwnKeys } from './accepted-keys.ts'
import type { ColumnNames } from './column-names.ts'
import type { DatabaseClient, DatabasePool } from './database.ts'
import { findColumns } from './find-columns.ts'
import type { FollowSource } from './follow-once.ts'
import { findKey, type KeyTypes, keyTypeOf } from './key-types.ts'
import { createMessageQueue, type MessageQueue } from './message-queue.ts'
import type { AccessMessage } from './messages.ts'
import { findNextFolders, findNextRows, readFolderGrants, readRows } from './sql/check.ts'
import { findStale } from './sql/columns.ts'

/**
 * A resource of which the copy differs from daikon: it has other keys, none, or daikon does not know the
 * resource. `column`: the column in the table of the service differs from the copy.
 */
export type Difference = {
  type: string
  id: string
  problem: 'different' | 'missing' | 'unknown' | 'column'
}

/** What the copy should contain of a resource, as sorted lines. There are none of a resource that it should lack. */
type Expected = { type: string; resourceId: string; id: string; lines: string }

/** A resource of which the copy differed when it was compared last. */
type Suspect = Expected & { isCopied: boolean }

/** The number of resources that are compared at once. */
const pageSize = 500

/** The number of IDs that a statement reads. */
const idsSize = 20_000

/** How often what differs is compared again, because a follower may not have written it yet. */
const rounds = 3

/**
 * Compares everything that daikon sends with the copy, and the columns of the service with the copy. `delayMs` is
 * the time between comparisons of what differs.
 *
 * @throws TableError
 */
export async function checkCopy({
  pool,
  types,
  columns = {},
  source,
  delayMs,
}: {
  pool: DatabasePool
  types: KeyTypes
  columns?: ColumnNames | undefined
  source: FollowSource
  delayMs: number
}): Promise<{ compared: number; differences: Difference[] }> {
  const client = await pool.connect()
  client.on('error', () => {})
  const stopped = new AbortController()
  try {
    const found = await findColumns(client, types, columns)
    const options = { types: Object.keys(types), cursor: undefined, signal: stopped.signal }
    const queue = createMessageQueue(source(options), 2 * pageSize)
    try {
      const { compared, differences } = await compareStream(client, types, queue, delayMs)
      for (const [type, column] of found) {
        const { rows } = await client.query(findStale(column, type))
        for (const { id } of rows) differences.push({ type, id, problem: 'column' })
      }
      return { compared, differences }
    } finally {
      queue.close()
    }
  } finally {
    stopped.abort()
    client.release()
  }
}

async function compareStream(
  client: DatabaseClient,
  types: KeyTypes,
  queue: MessageQueue,
  delayMs: number,
): Promise<{ compared: number; differences: Difference[] }> {
  const sent = new Set<string>()
  const suspects = new Map<string, Suspect>()
  let page = new Map<string, Expected>()

  async function add(expected: Expected): Promise<void> {
    page.set(nameOf(expected), expected)
    if (page.size >= pageSize) await compare()
  }

  async function compare(): Promise<void> {
    const copied = await readCopy(client, types, [...page.values()])
    for (const [name, expected] of page) {
      const lines = copied.get(name) ?? ''
      if (lines === expected.lines) suspects.delete(name)
      else suspects.set(name, { ...expected, isCopied: lines !== '' })
    }
    page = new Map()
  }

  for (let isComplete = false; !isComplete; ) {
    const message = await queue.next(delayMs)
    const expected = message && readExpected(types, message)
    if (expected) {
      if (message.type === 'upsert') sent.add(nameOf(expected))
      else sent.delete(nameOf(expected))
      await add(expected)
    } else if (message?.type === 'begin' && sent.size > 0) throw new RestartedStreamError()
    isComplete = message?.type === 'bookmark' && message.complete
  }
  for await (const copied of findCopied(client, types))
    if (!sent.has(nameOf(copied))) await add({ ...copied, lines: '' })
  await compare()

  for (let round = 0; round < rounds && suspects.size > 0; round += 1) {
    for (let end = Date.now() + delayMs; Date.now() < end; ) {
      const message = await queue.next(end - Date.now())
      if (message?.type === 'begin') throw new RestartedStreamError()
      const expected = message && readExpected(types, message)
      const suspect = expected && suspects.get(nameOf(expected))
      if (suspect) Object.assign(suspect, expected)
    }
    for (const suspect of [...suspects.values()]) await add(suspect)
    await compare()
  }
  const differences = [...suspects.values()].map(
    ({ type, id, lines, isCopied }): Difference => ({
      type,
      id,
      problem: lines === '' ? 'unknown' : isCopied ? 'different' : 'missing',
    }),
  )
  return { compared: sent.size, differences }
}

/** The resources must be compared from the beginning. */
class RestartedStreamError extends Error {
  constructor() {
    super('The server has begun the stream again. Run the check again')
  }
}

function nameOf({ type, resourceId }: { type: string; resourceId: string }): string {
  return `${type} ${resourceId}`
}

const textOf = ({ holder, level, maybe, until }: Accepted) =>
  `${holder} ${level} ${maybe} ${until?.getTime() ?? ''}`

const joined = (lines: string[]) => lines.sort().join('\n')

function readExpected(types: KeyTypes, message: AccessMessage): Expected | undefined {
  if (message.type === 'remove') {
    const { resourceType: type, resourceId } = message
    return { type, resourceId, id: resourceId, lines: '' }
  }
  if (message.type !== 'upsert') return undefined
  const { resource } = message
  const { resourceType: type, resourceId, externalId, workspaceId } = resource
  const keyType = keyTypeOf(types, type)
  const id = keyType && findKey(keyType, resource)
  const own = readOwnKeys(resource, new Date())
  const lines: string[] = []
  if (id !== undefined) {
    const inherited = resource.inheritsFrom.map(
      (holder): Accepted => ({ ...inheritKeyOf(holder), maybe: false, until: null }),
    )
    lines.push(`row ${id} ${workspaceId} ${findUntil(own)?.getTime() ?? ''}`)
    lines.push(...[...own, ...inherited].map((key) => `key ${textOf(key)}`))
  }
  if (resource.hasChildren)
    lines.push(...own.map((key) => `folder ${resource.inheritKey} ${textOf(key)}`))
  return { type, resourceId, id: externalId ?? resourceId, lines: joined(lines) }
}

/** Returns the lines of resources that the copy contains, by name. */
async function readCopy(
  client: DatabaseClient,
  types: KeyTypes,
  resources: readonly Expected[],
): Promise<Map<string, string>> {
  const found = new Map<string, string[]>()
  const add = (type: string, rows: { resource_id: string; lines: string[] }[]) => {
    for (const { resource_id: resourceId, lines } of rows) {
      const name = nameOf({ type, resourceId })
      found.set(name, [...(found.get(name) ?? []), ...lines])
    }
  }
  for (const [type, keyType] of Object.entries(types)) {
    const ids = resources.flatMap((one) => (one.type === type ? [one.resourceId] : []))
    if (ids.length > 0) add(type, (await client.query(readRows(type, keyType), [type, ids])).rows)
  }
  const { rows } = await client.query(readFolderGrants, [
    resources.map(({ type }) => type),
    resources.map(({ resourceId }) => resourceId),
  ])
  for (const row of rows) add(row.resource_type, [row])
  return new Map([...found].map(([name, lines]) => [name, joined(lines)]))
}

/** Finds all resources of the copy. */
async function* findCopied(
  client: DatabaseClient,
  types: KeyTypes,
): AsyncGenerator<{ type: string; resourceId: string; id: string }> {
  for (const [type, keyType] of Object.entries(types))
    for (let last = null; ; ) {
      const { rows } = await client.query(findNextRows(type, keyType), [last, idsSize])
      for (const { id, resource_id: resourceId } of rows) yield { type, resourceId, id }
      if (rows.length < idsSize) break
      last = rows.at(-1).id
    }
  for (let last = [null, null]; ; ) {
    const { rows } = await client.query(findNextFolders, [...last, idsSize])
    for (const { resource_type: type, resource_id: resourceId } of rows)
      yield { type, resourceId, id: resourceId }
    if (rows.length < idsSize) break
    const { resource_id: id, resource_type: type } = rows.at(-1)
    last = [id, type]
  }
}
