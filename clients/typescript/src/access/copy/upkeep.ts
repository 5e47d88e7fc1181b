import type { AcceptsColumns } from './column-names.ts'
import { type DatabaseClient, inTransaction } from './database.ts'
import type { KeyIds } from './key-ids.ts'
import { type KeyTypes, keyTypeOf, tableOf } from './key-types.ts'
import { requireFollower, saveSwept } from './sql/follower.ts'
import {
  analyzeTable,
  countKeys,
  deleteEnded,
  deleteEndedFolderGrants,
  deleteUnusedKeys,
  findEnded,
  findEndedResources,
  findUncounted,
  rewriteEnded,
  sweepEnds,
  sweepFolderGrants,
  sweepRows,
} from './sql/upkeep.ts'
import { writeColumns } from './write-columns.ts'

/** Another follower writes to the copy. */
export class FollowerReplacedError extends Error {
  constructor() {
    super('Another follower has taken over')
  }
}

/** @throws FollowerReplacedError unless the follower may write, in a transaction that keeps it so */
export async function fence(client: DatabaseClient, follower: string): Promise<void> {
  const { rows } = await client.query(requireFollower, [follower])
  if (rows.length === 0) throw new FollowerReplacedError()
}

/** The number of resources that one transaction rewrites. */
const endedStep = 1000

/**
 * Removes what has ended from rows. Returns whether there may be more.
 *
 * @throws FollowerReplacedError
 */
export async function removeEnded(
  client: DatabaseClient,
  follower: string,
  types: KeyTypes,
  columns: AcceptsColumns,
): Promise<boolean> {
  const { rows: found } = await client.query(findEnded)
  if (!found[0]?.found) return false
  return inTransaction(client, async () => {
    await fence(client, follower)
    await client.query(deleteEndedFolderGrants)
    const { rows } = await client.query(findEndedResources, [endedStep])
    for (const { resource_type: type, ids } of rows) {
      const keyType = keyTypeOf(types, type)
      if (keyType) {
        const rewritten = await client.query(rewriteEnded(type, keyType), [type, ids])
        const rowIds = rewritten.rows.map(({ id }) => id)
        await writeColumns(client, columns, [type, keyType], rowIds)
      }
      await client.query(deleteEnded, [type, ids])
    }
    return rows.length > 0
  })
}

/** Returns the types that no list has read, and whose keys were not counted. */
export async function findUncountedTypes(
  client: DatabaseClient,
  types: KeyTypes,
): Promise<Set<string>> {
  const uncounted = new Set<string>()
  for (const type of Object.keys(types)) {
    const { rows } = await client.query(findUncounted, [type])
    if (rows[0]?.found) uncounted.add(type)
  }
  return uncounted
}

/** The number of rows that one transaction of a sweep reads. */
const sweepStep = 20_000

/** Work that is done a step at a time, between messages. */
export type Chore = {
  /**
   * Runs a step. Returns whether it was the last.
   *
   * @throws FollowerReplacedError
   */
  step(): Promise<boolean>
}

/** The steps of a chore, each in a transaction. */
export type ChoreSteps = AsyncGenerator<void, void, undefined>

export function createChore(client: DatabaseClient, follower: string, steps: ChoreSteps): Chore {
  return {
    async step() {
      // A failure ends the generator, and the follower begins the chore again.
      const { done } = await inTransaction(client, async () => {
        await fence(client, follower)
        return steps.next()
      })
      return done === true
    },
  }
}

/**
 * Deletes what a fill did not send. `counted` are the types whose keys were counted at the end of the fill.
 */
export function createSweep(
  client: DatabaseClient,
  follower: string,
  {
    types,
    columns,
    keyIds,
    generation,
    counted,
  }: {
    types: KeyTypes
    columns: AcceptsColumns
    keyIds: KeyIds
    generation: string
    counted: ReadonlySet<string>
  },
): Chore {
  return createChore(client, follower, runSteps())

  async function* runSteps(): ChoreSteps {
    const stale = new Set(Object.keys(types).filter((type) => !counted.has(type)))
    for (const [type, keyType] of Object.entries(types)) {
      let last: string | null = null
      do {
        const { rows } = await client.query(sweepRows(type, keyType), [last, sweepStep, generation])
        const { deleted } = rows[0]
        if (deleted.length > 0) stale.add(type)
        await writeColumns(client, columns, [type, keyType], deleted)
        last = rows[0].last
        yield
      } while (last !== null)
    }
    for (const statement of [sweepFolderGrants, sweepEnds])
      while (((await client.query(statement, [generation, sweepStep])).rowCount ?? 0) > 0) yield
    for (const type of Object.keys(types)) {
      if (stale.has(type)) await client.query(countKeys(type), [type])
      yield
      await client.query(analyzeTable(tableOf(type)))
    }
    await client.query(deleteUnusedKeys)
    keyIds.clear()
    for (const name of ['keys', 'occurrences', 'folder_grants'])
      await client.query(analyzeTable(`daikon_access.${name}`))
    await client.query(saveSwept)
  }
}
