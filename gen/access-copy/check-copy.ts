// Copied from clients/typescript/src/access/copy/check-copy.ts. DO NOT EDIT.

import { inheritLevel, readOwnKeys } from './accepted-keys.ts'
import type { DatabasePool } from './database.ts'
import type { FollowSource } from './follow-once.ts'
import { findKey, type KeyTypes } from './key-types.ts'
import type { AccessResource } from './messages.ts'
import { findAccepted } from './sql/check.ts'

/** A resource of which the copy differs from daikon. */
export type Difference = { type: string; id: string }

/**
 * Compares the first resources that daikon sends with the copy. What differs is compared again after `delayMs`,
 * because a follower may not have written it yet.
 */
export async function checkCopy({
  pool,
  types,
  source,
  sample,
  delayMs,
}: {
  pool: DatabasePool
  types: KeyTypes
  source: FollowSource
  sample: number
  delayMs: number
}): Promise<{ compared: number; differences: Difference[] }> {
  const first = await readSample(source, types, sample)
  const suspects = await compare(pool, types, first)
  if (suspects.length === 0) return { compared: first.length, differences: [] }
  await new Promise((resolve) => setTimeout(resolve, delayMs))
  const again = await readSample(source, types, sample)
  const names = new Set(suspects.map(({ type, id }) => `${type} ${id}`))
  const differences = await compare(pool, types, again)
  return {
    compared: again.length,
    differences: differences.filter(({ type, id }) => names.has(`${type} ${id}`)),
  }
}

async function readSample(
  source: FollowSource,
  types: KeyTypes,
  sample: number,
): Promise<AccessResource[]> {
  const resources: AccessResource[] = []
  const stopped = new AbortController()
  try {
    const options = { types: Object.keys(types), cursor: undefined, signal: stopped.signal }
    for await (const message of source(options)) {
      if (message.type === 'upsert') {
        const { resource } = message
        const keyType = Object.hasOwn(types, resource.resourceType)
          ? types[resource.resourceType]
          : undefined
        if (keyType && findKey(keyType, resource) !== undefined) resources.push(resource)
      }
      const isComplete = message.type === 'bookmark' && message.complete
      if (isComplete || resources.length >= sample) break
    }
  } finally {
    stopped.abort()
  }
  return resources
}

async function compare(
  pool: DatabasePool,
  types: KeyTypes,
  resources: readonly AccessResource[],
): Promise<Difference[]> {
  const differences: Difference[] = []
  for (const [type, keyType] of Object.entries(types)) {
    const expected = new Map<string, string>()
    for (const resource of resources) {
      const id = resource.resourceType === type ? findKey(keyType, resource) : undefined
      if (id !== undefined) expected.set(id, describe(resource))
    }
    const { rows } = await pool.query(findAccepted(type, keyType), [[...expected.keys()]])
    const found = new Map(rows.map(({ id, keys }) => [id, [...keys].sort().join('\n')]))
    for (const [id, keys] of expected) if (found.get(id) !== keys) differences.push({ type, id })
  }
  return differences
}

function describe(resource: AccessResource): string {
  const own = readOwnKeys(resource, new Date()).map(
    ({ holder, level, maybe }) => `${holder} ${level} ${maybe}`,
  )
  const inherited = resource.inheritsFrom.map((holder) => `${holder} ${inheritLevel} false`)
  return [...own, ...inherited].sort().join('\n')
}
