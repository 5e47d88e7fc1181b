import { isTimestamp } from '../../core/timestamp.ts'
import { isUuid } from '../../core/uuid.ts'
import { lowerCase } from '../../database/lower-case.ts'
import { type Comparison, type Filter, invalidFilter, type Operator } from '../filter.ts'

/** A single value as SQL. The SQL never contains anything that a client has sent. */
export type Column = {
  sql: string
  type:
    | 'text'
    /** Text whose case matters. */
    | 'exact'
    /** Text that is stored in lower case. */
    | 'lower'
    | 'boolean'
    | 'time'
    | 'uuid'
    /** An object, which is only present or absent. */
    | 'object'
}

/** The values of an attribute: rows of a FROM clause, and the columns of its sub-attributes. */
export type Values = { from: string; findColumn(subAttribute: string): Column | undefined }

/** Finds where the values of a path are. Returns undefined for a path that cannot be filtered. */
export type FindSource = (path: string) => Column | Values | undefined

/** A condition, and the values of its parameters. */
export type FilterSql = { sql: string; values: unknown[] }

/**
 * Compiles a filter to a condition whose parameters are numbered from `first`. An absent value equals
 * only `null`; compared with any other value, it is not equal.
 *
 * @throws a ServiceError INVALID_FILTER for paths that cannot be filtered, and for comparisons that
 * the type of an attribute does not support
 */
export function compileFilter(filter: Filter, findSource: FindSource, first: number): FilterSql {
  const values: unknown[] = []
  const addValue = (value: unknown, type: string) => {
    values.push(value)
    return `$${first + values.length - 1}::${type}`
  }
  return { sql: compile(filter, findSource, addValue), values }
}

type AddValue = (value: unknown, type: string) => string

function compile(filter: Filter, findSource: FindSource, addValue: AddValue): string {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const parts = filter.filters.map((one) => compile(one, findSource, addValue))
      return `(${parts.join(` ${filter.kind} `)})`
    }
    case 'not':
      return `(${compile(filter.filter, findSource, addValue)}) is not true`
    case 'present': {
      const source = requireSource(filter.path, findSource)
      return 'from' in source ? existsIn(source) : `${source.sql} is not null`
    }
    case 'values': {
      const source = requireSource(filter.path, findSource)
      if (!('from' in source))
        throw invalidFilter(`has brackets after ${filter.path}, which has one value`)
      return existsIn(source, compile(filter.filter, source.findColumn, addValue))
    }
    case 'comparison':
      return compileComparison(filter, requireSource(filter.path, findSource), addValue)
  }
}

function requireSource(path: string, findSource: FindSource): Column | Values {
  const source = findSource(path)
  if (!source) throw invalidFilter(`names ${path}, which is not an attribute that can be filtered`)
  return source
}

const existsIn = ({ from }: Values, condition = 'true') =>
  `exists (select from ${from} where ${condition})`

function compileComparison(
  comparison: Comparison,
  source: Column | Values,
  addValue: AddValue,
): string {
  if (!('from' in source)) return compare(comparison, source, addValue)
  const { operator, value, path } = comparison
  if (value === null) {
    if (operator === 'eq') return `not ${existsIn(source)}`
    if (operator === 'ne') return existsIn(source)
  }
  const column = source.findColumn('value')
  if (!column) throw invalidFilter(`compares ${path}, which has no value; name a sub-attribute`)
  if (operator !== 'ne') return existsIn(source, compare(comparison, column, addValue))
  return `not ${existsIn(source, compare({ ...comparison, operator: 'eq' }, column, addValue))}`
}

function compare(comparison: Comparison, column: Column, addValue: AddValue): string {
  const { operator, value, path } = comparison
  if (value === null) {
    if (operator === 'eq') return `${column.sql} is null`
    if (operator === 'ne') return `${column.sql} is not null`
    throw invalidFilter(`compares ${path} with null by ${operator}`)
  }
  switch (column.type) {
    case 'boolean':
      return compareBoolean(comparison, column, addValue)
    case 'time':
      return compareTime(comparison, column, addValue)
    case 'uuid':
      if (operator === 'eq')
        return isId(value) ? `${column.sql} = ${addValue(value, 'uuid')}` : 'false'
      if (operator === 'ne')
        return isId(value) ? `${column.sql} <> ${addValue(value, 'uuid')}` : 'true'
      return compareText(comparison, { sql: `${column.sql}::text`, type: 'lower' }, addValue)
    case 'object':
      throw invalidFilter(`compares ${path}, which has no value; name a sub-attribute`)
    default:
      return compareText(comparison, column, addValue)
  }
}

const isId = (value: unknown): value is string => typeof value === 'string' && isUuid(value)

function compareBoolean(
  { operator, value, path }: Comparison,
  { sql }: Column,
  addValue: AddValue,
): string {
  // Entra ID sends booleans as text, such as "True".
  const text = String(value).toLowerCase()
  if (text !== 'true' && text !== 'false')
    throw invalidFilter(`must compare ${path} with true or false`)
  if (operator !== 'eq' && operator !== 'ne')
    throw invalidFilter(`compares ${path}, a boolean, by ${operator}`)
  return `${sql} ${operator === 'eq' ? '=' : 'is distinct from'} ${addValue(text === 'true', 'boolean')}`
}

const signs: Record<Exclude<Operator, 'co' | 'sw' | 'ew'>, string> = {
  eq: '=',
  ne: 'is distinct from',
  gt: '>',
  ge: '>=',
  lt: '<',
  le: '<=',
}

function compareTime(
  { operator, value, path }: Comparison,
  { sql }: Column,
  addValue: AddValue,
): string {
  if (typeof value !== 'string' || !isTimestamp(value))
    throw invalidFilter(`must compare ${path} with a time such as "2026-01-31T12:00:00Z"`)
  if (operator === 'co' || operator === 'sw' || operator === 'ew')
    throw invalidFilter(`compares ${path}, a time, by ${operator}`)
  // Responses contain milliseconds.
  return `date_trunc('milliseconds', ${sql}) ${signs[operator]} ${addValue(value, 'timestamptz')}`
}

function compareText(
  { operator, value, path }: Comparison,
  { sql, type }: Column,
  addValue: AddValue,
): string {
  if (typeof value !== 'string') throw invalidFilter(`must compare ${path} with a string`)
  const own = type === 'text' ? lowerCase(sql) : sql
  const text = addValue(type === 'lower' ? value.trim() : value, 'text')
  const other = type === 'exact' ? text : lowerCase(text)
  switch (operator) {
    case 'co':
      return `position(${other} in ${own}) > 0`
    case 'sw':
      return `starts_with(${own}, ${other})`
    case 'ew':
      return `right(${own}, char_length(${other})) = ${other}`
    case 'eq':
    case 'ne':
      return `${own} ${signs[operator]} ${other}`
    default:
      return `${own} collate "C" ${signs[operator]} ${other}`
  }
}
