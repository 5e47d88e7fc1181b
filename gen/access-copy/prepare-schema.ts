// Copied from clients/typescript/src/access/copy/prepare-schema.ts. DO NOT EDIT.

import type { DatabaseClient } from './database.ts'
import { type KeyTypes, tableOf } from './key-types.ts'
import {
  allowNull,
  createArrayIndexes,
  createSchema,
  createTypeTable,
  findArrayIndexes,
  findSchema,
  findTable,
  findTypeTable,
  sharedTables,
} from './sql/schema.ts'
import { TableError } from './table-error.ts'

/**
 * Creates the schema and the tables that are missing.
 *
 * @throws TableError
 */
export async function prepareSchema(client: DatabaseClient, types: KeyTypes): Promise<void> {
  const find = async (text: string, ...values: unknown[]): Promise<string | null> => {
    const { rows } = await client.query(text, values)
    return rows[0]?.found ?? null
  }
  if (!(await find(findSchema))) await client.query(createSchema)
  for (const [name, statement] of Object.entries(sharedTables))
    if (!(await find(findTable, name))) await client.query(statement)
  for (const [type, keyType] of Object.entries(types)) {
    const table = tableOf(type)
    const { rows } = await client.query(findTypeTable, [table])
    const [known] = rows
    if (!known) await client.query(createTypeTable(type, keyType))
    else if (known.found !== keyType)
      throw new TableError(
        `The table ${table} has keys of type ${known.found}, but types.${type} is ${keyType}. To create it again, drop it and run: update daikon_access.state set cursor = null`,
      )
    else if (!known.has_null) await client.query(allowNull(type))
  }
}

/** Creates the indexes by which lists find rows, unless they exist. */
export async function prepareIndexes(client: DatabaseClient, types: KeyTypes): Promise<void> {
  for (const type of Object.keys(types)) {
    const { rows } = await client.query(findArrayIndexes, [tableOf(type)])
    if (!rows[0]?.found) await client.query(createArrayIndexes(type))
  }
}
