// Copied from clients/typescript/src/access/copy/write-columns.ts. DO NOT EDIT.

import type { AcceptsColumns } from './column-names.ts'
import type { DatabaseClient } from './database.ts'
import type { KeyType } from './key-types.ts'
import { allowWrites, writeColumn } from './sql/columns.ts'

/** Repeats what rows of the copy accept, in the caller's transaction. */
export async function writeColumns(
  client: DatabaseClient,
  columns: AcceptsColumns,
  [type, keyType]: [type: string, keyType: KeyType],
  ids: readonly string[],
): Promise<void> {
  const column = columns.get(type)
  if (!column || ids.length === 0) return
  await client.query(allowWrites)
  await client.query(writeColumn(column, type, keyType), [ids])
}
