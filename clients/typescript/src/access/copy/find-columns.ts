import {
  type AcceptsColumn,
  type AcceptsColumns,
  type ColumnNames,
  type ColumnPath,
  splitColumnName,
} from './column-names.ts'
import type { DatabaseClient } from './database.ts'
import { type KeyType, type KeyTypes, quote } from './key-types.ts'
import { findColumn } from './sql/columns.ts'
import { TableError } from './table-error.ts'

/**
 * Finds the columns in the database.
 *
 * @throws TableError unless each can be written, and only by the follower
 */
export async function findColumns(
  client: DatabaseClient,
  types: KeyTypes,
  names: ColumnNames,
): Promise<AcceptsColumns> {
  const columns = new Map<string, AcceptsColumn>()
  for (const [type, name] of Object.entries(names)) {
    if (name === undefined) continue
    const path = splitColumnName(name) as ColumnPath
    const { rows } = await client.query(findColumn, [path.table, path.attribute])
    const problem = findProblem(name, path, types[type] as KeyType, rows[0])
    if (problem) throw new TableError(problem)
    const { table, key } = rows[0]
    const found = { table, id: quote(key), column: path.column }
    for (const [other, known] of columns)
      if (known.table === found.table && known.column === found.column)
        throw new TableError(`${name} is the column of ${other} and of ${type}`)
    columns.set(type, found)
  }
  return columns
}

/** A row of `findColumn`. */
type FoundColumn = {
  is_table: boolean
  /** The role of the follower, quoted. */
  role: string
  hides_rows: boolean
  is_writable: boolean | null
  type: string | null
  is_required: boolean | null
  key: string | null
  key_type: string | null
  is_protected: boolean
}

function findProblem(
  name: string,
  path: ColumnPath,
  keyType: KeyType,
  found: FoundColumn | undefined,
): string | undefined {
  if (!found) return `The table of ${name} does not exist`
  if (!found.is_table) return `The column ${name} is not one of a table`
  if (found.type === null)
    return `The column ${name} does not exist. Run: alter table ${path.table} add column ${path.column} bigint[]`
  if (found.type !== 'bigint[]' || found.is_required)
    return `The column ${name} must have the type bigint[] and allow null`
  if (found.key === null || found.key_type !== keyType)
    return `The table of ${name} must have a primary key of one column of type ${keyType}`
  if (found.hides_rows)
    return `Row-level security may hide rows of ${path.table} from the follower. Run: alter role ${found.role} bypassrls`
  if (!found.is_writable) {
    const id = quote(found.key)
    return `The follower may not write the column ${name}. Run: grant select (${id}, ${path.column}), update (${path.column}) on ${path.table} to ${found.role}`
  }
  if (!found.is_protected)
    return `The column ${name} needs a trigger that keeps others from writing it. Run:${protectColumn(path, quote(found.key))}`
  return undefined
}

/** The statements that let only the follower write a column. */
const protectColumn = ({ table, column, attribute }: ColumnPath, id: string) => {
  const name = quote(`forget_${attribute}`)
  return `
create function ${name}() returns trigger language plpgsql as $$
begin
  if current_setting('daikon_access.follower', true) is distinct from 'on' then
    new.${column} := null;
  end if;
  return new;
end $$;
create trigger ${name} before insert or update of ${id}, ${column} on ${table}
  for each row execute function ${name}();`
}
