// Copied from clients/typescript/src/access/copy/fill-columns.ts. DO NOT EDIT.

import type { AcceptsColumns } from './column-names.ts'
import type { DatabaseClient } from './database.ts'
import type { KeyType, KeyTypes } from './key-types.ts'
import { findUnequal, saveColumn } from './sql/columns.ts'
import { type Chore, type ChoreSteps, createChore } from './upkeep.ts'
import { writeColumns } from './write-columns.ts'

/** The number of rows of the service's table that one transaction reads. */
const fillStep = 5000

/**
 * Writes what columns lack, and removes what they should not contain. Lists may read a column once all of its
 * rows were compared.
 */
export function createColumnFill(
  client: DatabaseClient,
  follower: string,
  types: KeyTypes,
  columns: AcceptsColumns,
): Chore {
  return createChore(client, follower, runSteps())

  async function* runSteps(): ChoreSteps {
    for (const [type, column] of columns) {
      const keyType = types[type] as KeyType
      let last: string | null = null
      do {
        const find = findUnequal(column, type, keyType)
        const { rows } = await client.query(find, [last, fillStep])
        await writeColumns(client, columns, [type, keyType], rows[0].ids)
        last = rows[0].last
        yield
      } while (last !== null)
      await client.query(saveColumn, [type, column.table, column.column])
    }
  }
}
