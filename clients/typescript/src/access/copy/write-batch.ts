import { type Accepted, findUntil, inheritLevel, readOwnKeys } from './accepted-keys.ts'
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

/** Where a batch is written. `counts` is false during a fill, which counts keys at its end. */
export type WriteTarget = {
  client: DatabaseClient
  types: KeyTypes
  columns: AcceptsColumns
  keyIds: KeyIds
  generation: string
  counts: boolean
}

/** A resource with its keys, and the key of its row if it has one. */
type Written = { resource: AccessResource; own: Accepted[]; id: string | undefined }

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
    return { resource, own: readOwnKeys(resource, now), id }
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
  await writeFolderGrants(client, written, keyIds, generation)
  return { written: count, removed: batch.removes.length, skipped }
}

function* keysOf(written: readonly Written[]): Iterable<{ holder: string; level: string }> {
  for (const { resource, own, id } of written) {
    const { inheritsFrom, inheritKey, hasChildren } = resource
    if (id !== undefined || hasChildren) yield* own
    if (id !== undefined) for (const holder of inheritsFrom) yield { holder, level: inheritLevel }
    if (hasChildren) yield { holder: inheritKey, level: inheritLevel }
  }
}

async function writeType(
  { client, columns, keyIds, generation, counts }: WriteTarget,
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
    const ends: { id: string; key: string; maybe: boolean; until: Date }[] = []
    for (const { resource, own } of rows) {
      const certain: string[] = []
      const uncertain: string[] = []
      for (const key of own) {
        const id = keyIds.idOf(key.holder, key.level)
        if (key.maybe) uncertain.push(id)
        else certain.push(id)
        if (key.until)
          ends.push({ id: resource.resourceId, key: id, maybe: key.maybe, until: key.until })
      }
      for (const holder of resource.inheritsFrom) certain.push(keyIds.idOf(holder, inheritLevel))
      for (const key of certain) add(key, 1)
      for (const key of uncertain) add(key, 1)
      accepts.push(`{${certain.join(',')}}`)
      maybe.push(`{${uncertain.join(',')}}`)
    }
    if (keyType !== 'uuid') await remove(deleteRenamed(type, keyType), ids, resourceIds)
    await client.query(upsertRows(type, keyType), [
      ids,
      resourceIds,
      rows.map(({ resource }) => resource.workspaceId),
      accepts,
      maybe,
      rows.map(({ own }) => findUntil(own)),
      generation,
    ])
    if (ends.length > 0)
      await client.query(insertEnds, [
        ends.map(() => type),
        ends.map(({ id }) => id),
        ends.map(({ key }) => key),
        ends.map(({ maybe }) => maybe),
        ends.map(({ until }) => until),
        generation,
      ])
  }
  await writeColumns(client, columns, [type, keyType], [...deletedIds, ...ids])
  if (!counts) {
    if (changes.size > 0) await client.query(nameOccurrences, [type, [...changes.keys()]])
    return
  }
  const changed = [...changes].filter(([, change]) => change !== 0)
  if (changed.length > 0)
    await client.query(addOccurrences, [
      type,
      changed.map(([key]) => key),
      changed.map(([, change]) => change),
    ])
}

async function writeFolderGrants(
  client: DatabaseClient,
  written: readonly Written[],
  keyIds: KeyIds,
  generation: string,
): Promise<void> {
  const grants = written.flatMap(({ resource, own }) => {
    if (!resource.hasChildren) return []
    const inheritKey = keyIds.idOf(resource.inheritKey, inheritLevel)
    return own.map((key) => ({ ...key, resource, inheritKey }))
  })
  if (grants.length === 0) return
  await client.query(insertFolderGrants, [
    grants.map(({ resource }) => resource.resourceType),
    grants.map(({ resource }) => resource.resourceId),
    grants.map(({ holder, level }) => keyIds.idOf(holder, level)),
    grants.map(({ inheritKey }) => inheritKey),
    grants.map(({ maybe }) => maybe),
    grants.map(({ until }) => until),
    generation,
  ])
}
