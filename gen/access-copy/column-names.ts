// Copied from clients/typescript/src/access/copy/column-names.ts. DO NOT EDIT.

import { type KeyTypes, quote } from './key-types.ts'

/**
 * Columns of tables of the service that repeat what rows accept, by resource type: `documents.daikon_accepts`,
 * or with a schema before it.
 */
export type ColumnNames<Type extends string = string> = { [type in Type]?: string | undefined }

/** A column and its table, with quoted names. `attribute` is the column without quotes. */
export type ColumnPath = { table: string; column: string; attribute: string }

/** A column that repeats what rows accept, and the primary key of its table, with quoted names. */
export type AcceptsColumn = { table: string; id: string; column: string }

/** The columns of resource types that have one. */
export type AcceptsColumns = ReadonlyMap<string, AcceptsColumn>

/** Splits `documents.daikon_accepts` or `public.documents.daikon_accepts`. */
export function splitColumnName(name: string): ColumnPath | undefined {
  const parts = name.split('.')
  const isName = (part: string) =>
    part !== '' && !part.includes('\0') && new TextEncoder().encode(part).length <= 63
  if (parts.length < 2 || parts.length > 3 || !parts.every(isName)) return undefined
  const attribute = parts.at(-1) as string
  return { table: parts.slice(0, -1).map(quote).join('.'), column: quote(attribute), attribute }
}

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
