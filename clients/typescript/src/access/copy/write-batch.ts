import { type Accepted, findUntil, inheritKeyOf, type Key, readOwnKeys } from './accepted-keys.ts'
import type { Batch } from './batch.ts'
import type { AcceptsColumns } from './column-names.ts'
import type { DatabaseClient } from './database.ts'
import type { KeyIds } from './key-ids.ts'
import { findKey, type KeyType, type KeyTypes, keyTypeOf } from './key-types.ts'
import type { AccessResource } from './messages.ts'
import {
  addOccurrences,
  countKeysOf,
  deleteEnds,
  deleteFolderGrants,
  deleteRenamed,
  deleteRows,
  insertEnds,
  insertFolderGrants,
  nameOccurrences,
  upsertRows,
} from './sql/follower.ts'
import { writeColumns } from './write-columns.ts'

/** A resource whose ID does not fit the type of the keys. */
export type SkippedResource = { type: string; id: string }

export type WriteResult = { written: number; removed: number; skipped: SkippedResource[] }

/**
 * Where a batch is written. `counts` is false during a fill, which counts keys at its end. It names them before,
 * except those of types that no list has read, `uncounted`.
 */
export type WriteTarget = {
  client: DatabaseClient
  types: KeyTypes
  columns: AcceptsColumns
  keyIds: KeyIds
  generation: string
  counts: boolean
  uncounted: ReadonlySet<string>
}

/**
 * A resource with its keys, and the key of its row if it has one. `inherits` is the key of what inherits from it,
 * if anything does.
 */
type Written = {
  resource: AccessResource
  own: Accepted[]
  inherited: Key[]
  inherits: Key | undefined
  id: string | undefined
}

/** Writes what resources accept, in the caller's transaction. */
export async function writeBatch(target: WriteTarget, batch: Batch): Promise<WriteResult> {
  const { client, types, keyIds, generation } = target
  const now = new Date()
  const skipped: SkippedResource[] = []
  const written = batch.upserts.map((resource): Written => {
    const keyType = keyTypeOf(types, resource.resourceType)
    const id = keyType && findKey(keyType, resource)
    if (keyType && id === undefined)
      skipped.push({
        type: resource.resourceType,
        id: resource.externalId ?? resource.resourceId,
      })
    const { inheritsFrom, inheritKey, hasChildren } = resource
    return {
      resource,
      own: readOwnKeys(resource, now),
      inherited: inheritsFrom.map(inheritKeyOf),
      inherits: hasChildren ? inheritKeyOf(inheritKey) : undefined,
      id,
    }
  })
  await keyIds.load(client, keysOf(written))

  const changed = [...batch.upserts, ...batch.removes]
  const changedTypes = changed.map(({ resourceType }) => resourceType)
  const changedIds = changed.map(({ resourceId }) => resourceId)
  await client.query(deleteFolderGrants, [changedTypes, changedIds])
  await client.query(deleteEnds, [changedTypes, changedIds])

  let count = 0
  for (const [type, keyType] of Object.entries(types)) {
    const rows = written.filter(({ resource, id }) => resource.resourceType === type && id)
    const dropped = [
      ...batch.removes.filter(({ resourceType }) => resourceType === type),
      ...written.flatMap(({ resource, id }) =>
        resource.resourceType === type && !id ? [resource] : [],
      ),
    ].map(({ resourceId }) => resourceId)
    await writeType(target, type, keyType, rows, dropped)
    count += rows.length
  }
  await writeFolderGrants(client, written, generation)
  return { written: count, removed: batch.removes.length, skipped }
}

function* keysOf(written: readonly Written[]): Iterable<Key> {
  for (const { own, inherited, inherits, id } of written) {
    if (id !== undefined || inherits) yield* own
    if (id !== undefined) yield* inherited
    if (inherits) yield inherits
  }
}

async function writeType(
  { client, columns, generation, counts, uncounted }: WriteTarget,
  type: string,
  keyType: KeyType,
  rows: readonly Written[],
  dropped: readonly string[],
): Promise<void> {
  const changes = new Map<string, number>()
  const add = (key: string, change: number) => changes.set(key, (changes.get(key) ?? 0) + change)
  const resourceIds = rows.map(({ resource }) => resource.resourceId)
  if (counts && rows.length + dropped.length > 0) {
    const old = await client.query(countKeysOf(type, keyType), [[...resourceIds, ...dropped]])
    for (const { key, resources } of old.rows) add(key, -Number(resources))
  }
  const ids = rows.map(({ id }) => id as string)
  const deletedIds: string[] = []
  const remove = async (statement: string, ...values: unknown[]) => {
    const { rows } = await client.query(statement, values)
    deletedIds.push(...rows.map(({ id }) => id))
  }
  if (dropped.length > 0) await remove(deleteRows(type, keyType), dropped)
  if (rows.length > 0) {
    const accepts: string[] = []
    const maybe: string[] = []
    const ends: (Accepted & { resourceId: string })[] = []
    for (const { resource, own, inherited } of rows) {
      const certain: string[] = []
      const uncertain: string[] = []
      for (const key of own) {
        if (key.maybe) uncertain.push(key.id)
        else certain.push(key.id)
        if (key.until) ends.push({ ...key, resourceId: resource.resourceId })
      }
      for (const { id } of inherited) certain.push(id)
      if (!uncounted.has(type)) for (const id of [...certain, ...uncertain]) add(id, 1)
      accepts.push(`"${arrayOf(certain)}"`)
      maybe.push(uncertain.length > 0 ? `"${arrayOf(uncertain)}"` : 'NULL')
    }
    if (keyType !== 'uuid') await remove(deleteRenamed(type, keyType), ids, resourceIds)
    await client.query(upsertRows(type, keyType), [
      keyType === 'text' ? ids : arrayOf(ids),
      arrayOf(resourceIds),
      arrayOf(rows.map(({ resource }) => resource.workspaceId)),
      arrayOf(accepts),
      arrayOf(maybe),
      arrayOf(rows.map(({ own }) => findUntil(own)?.toISOString() ?? 'NULL')),
      generation,
    ])
    if (ends.length > 0)
      await client.query(insertEnds, [
        ends.map(() => type),
        ends.map(({ resourceId }) => resourceId),
        ends.map(({ id }) => id),
        ends.map(({ maybe }) => maybe),
        ends.map(({ until }) => until),
        generation,
      ])
  }
  await writeColumns(client, columns, [type, keyType], [...deletedIds, ...ids])
  const changed = [...changes].filter(([, change]) => change !== 0)
  if (changed.length === 0) return
  const changedKeys = changed.map(([key]) => key)
  await (counts
    ? client.query(addOccurrences, [type, changedKeys, changed.map(([, change]) => change)])
    : client.query(nameOccurrences, [type, changedKeys]))
}

/** The text of an array of UUIDs, numbers, times or quoted arrays, which need no escapes. `pg` would look for some. */
function arrayOf(elements: readonly string[]): string {
  return `{${elements.join(',')}}`
}

async function writeFolderGrants(
  client: DatabaseClient,
  written: readonly Written[],
  generation: string,
): Promise<void> {
  const grants = written.flatMap(({ resource, own, inherits }) =>
    inherits ? own.map((key) => ({ ...key, resource, inheritId: inherits.id })) : [],
  )
  if (grants.length === 0) return
  await client.query(insertFolderGrants, [
    grants.map(({ resource }) => resource.resourceType),
    grants.map(({ resource }) => resource.resourceId),
    grants.map(({ id }) => id),
    grants.map(({ inheritId }) => inheritId),
    grants.map(({ maybe }) => maybe),
    grants.map(({ until }) => until),
    generation,
  ])
}
