import type { DatabaseClient } from './database.ts'
import type { KeyType, KeyTypes } from './key-types.ts'
import { allowWrites, findColumn, writeColumn } from './sql/columns.ts'
import { TableError } from './table-error.ts'

/**
 * Columns of tables of the service that repeat what rows accept, by resource type: `documents.daikon_accepts`,
 * or with a schema before it.
 */
export type ColumnNames<Type extends string = string> = { [type in Type]?: string | undefined }

/** A column that repeats what rows accept, and the primary key of its table, with quoted names. */
export type AcceptsColumn = { table: string; id: string; column: string }

/** The columns of some resource types. */
export type AcceptsColumns = Partial<Record<string, AcceptsColumn>>

/** A column and its table, with quoted names. `attribute` is the column without quotes. */
export type ColumnPath = { table: string; column: string; attribute: string }

/** Splits `documents.daikon_accepts` or `public.documents.daikon_accepts`. */
export function splitColumnName(name: string): ColumnPath | undefined {
  const parts = name.split('.')
  const isName = (part: string) =>
    part !== '' && !part.includes('\0') && new TextEncoder().encode(part).length <= 63
  if (parts.length < 2 || parts.length > 3 || !parts.every(isName)) return undefined
  const attribute = parts.at(-1) as string
  return { table: parts.slice(0, -1).map(quote).join('.'), column: quote(attribute), attribute }
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`

/** Returns what is wrong with the columns of an option, if anything is. */
export function findColumnsProblem(columns: unknown, types: KeyTypes): string | undefined {
  if (typeof columns !== 'object' || columns === null)
    return "must name columns by resource type, such as { document: 'documents.daikon_accepts' }"
  for (const [type, name] of Object.entries(columns)) {
    if (!Object.hasOwn(types, type)) return `names ${type}, which is not one of types`
    if (name === undefined) continue
    if (typeof name !== 'string' || !splitColumnName(name))
      return `has no column for ${type}, such as documents.daikon_accepts`
  }
  return undefined
}

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
  const columns: AcceptsColumns = {}
  for (const [type, name] of Object.entries(names)) {
    if (name === undefined) continue
    const path = splitColumnName(name) as ColumnPath
    const { rows } = await client.query(findColumn, [path.table, path.attribute])
    const problem = findProblem(name, path, types[type] as KeyType, rows[0])
    if (problem) throw new TableError(problem)
    const { table, key } = rows[0]
    const found = { table, id: quote(key), column: path.column }
    for (const [other, known] of Object.entries(columns))
      if (known?.table === found.table && known?.column === found.column)
        throw new TableError(`${name} is the column of ${other} and of ${type}`)
    columns[type] = found
  }
  return columns
}

/** A row of `findColumn`. */
type FoundColumn = {
  is_table: boolean
  hides_rows: boolean
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
  if (found.hides_rows) return `Row-level security hides rows of ${name} from the follower`
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

/** Repeats what rows of the copy accept, in the caller's transaction. */
export async function writeColumns(
  client: DatabaseClient,
  columns: AcceptsColumns,
  [type, keyType]: [type: string, keyType: KeyType],
  ids: readonly string[],
): Promise<void> {
  const column = columns[type]
  if (!column || ids.length === 0) return
  await client.query(allowWrites)
  await client.query(writeColumn(column, type, keyType), [ids])
}
