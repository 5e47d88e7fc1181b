import { ServiceError } from '../core/errors.ts'
import { findTextViolation } from '../core/text-violation.ts'
import { reasons } from './reasons.ts'

const operators = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const

export type Operator = (typeof operators)[number]

export type Literal = string | number | boolean | null

/** A comparison such as `title eq "Boss"`. The path is as the client has written it. */
export type Comparison = { kind: 'comparison'; path: string; operator: Operator; value: Literal }

/** A filter (RFC 7644, figure 1). */
export type Filter =
  | Comparison
  /** `path pr` */
  | { kind: 'present'; path: string }
  /** `path[filter]`: whether one of the values satisfies the filter. */
  | { kind: 'values'; path: string; filter: Filter }
  | { kind: 'and' | 'or'; filters: Filter[] }
  | { kind: 'not'; filter: Filter }

const maxLength = 1000
const maxTerms = 20
/** The maximum number of brackets within each other. */
const maxDepth = 5

const path = /[A-Za-z$][\w$:.-]*/y
const subAttribute = /\.([A-Za-z$][\w$-]*)/y
const operator = /\s+([A-Za-z]+)/y
const literal = /\s+("(?:[^"\\]|\\.)*"|true\b|false\b|null\b|-?\d+(?:\.\d+)?)/iy
const or = /\s+or\s+/iy
const and = /\s+and\s+/iy
const not = /not\s*\(\s*/iy
const open = /\(\s*/y
const close = /\s*\)/y
const openValues = /\[\s*/y
const closeValues = /\s*\]/y

/**
 * Parses a filter from `start` up to the end of the text, or to the bracket that ends the filter of a
 * path. Returns the position after it. `and` binds more closely than `or`.
 *
 * @throws a ServiceError INVALID_FILTER
 */
export function parseFilter(text: string, start = 0): { filter: Filter; end: number } {
  if (text.length > maxLength) throw invalidFilter(`must be at most ${maxLength} characters long`)
  let position = start
  let depth = 0
  let terms = 0

  function read(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = position
    const match = pattern.exec(text)
    if (match) position = pattern.lastIndex
    return match ?? undefined
  }

  function readAny(kind: 'and' | 'or', separator: RegExp, readOne: () => Filter): Filter {
    const filters = [readOne()]
    while (read(separator)) filters.push(readOne())
    return filters.length === 1 ? (filters[0] as Filter) : { kind, filters }
  }

  const readAll = () => readAny('or', or, () => readAny('and', and, readFactor))

  function readFactor(): Filter {
    if (read(not)) return { kind: 'not', filter: readNested(close) }
    if (read(open)) return readNested(close)
    return readTerm()
  }

  function readNested(end: RegExp): Filter {
    depth += 1
    if (depth > maxDepth)
      throw invalidFilter(`must have at most ${maxDepth} brackets within each other`)
    const filter = readAll()
    if (!read(end)) throw unreadable()
    depth -= 1
    return filter
  }

  function readTerm(): Filter {
    terms += 1
    if (terms > maxTerms) throw invalidFilter(`must have at most ${maxTerms} comparisons`)
    const name = read(path)?.[0]
    if (name === undefined) throw unreadable()
    if (!read(openValues)) return readComparison(name)
    const filter = readNested(closeValues)
    // Entra ID compares a sub-attribute of the values: `emails[type eq "work"].value eq "…"`.
    const sub = read(subAttribute)?.[1]
    const filters = sub === undefined ? [filter] : [filter, readComparison(sub)]
    return {
      kind: 'values',
      path: name,
      filter: sub === undefined ? filter : { kind: 'and', filters },
    }
  }

  function readComparison(name: string): Filter {
    const word = read(operator)?.[1]?.toLowerCase()
    if (word === 'pr') return { kind: 'present', path: name }
    const comparison = operators.find((one) => one === word)
    if (!comparison)
      throw invalidFilter(`must compare ${name} with one of ${operators.join(', ')}, pr`)
    const value = read(literal)?.[1]
    if (value === undefined)
      throw invalidFilter(`must compare ${name} with a JSON string, number, boolean or null`)
    return { kind: 'comparison', path: name, operator: comparison, value: parseLiteral(value) }
  }

  /** Where the filter cannot be read any further. */
  function unreadable() {
    const rest = text.slice(position, position + 20).toWellFormed()
    return invalidFilter(
      rest === '' ? 'ends too early' : `cannot be read at ${JSON.stringify(rest)}`,
    )
  }

  const filter = readAll()
  return { filter, end: position }
}

/**
 * Parses a filter that is the whole text.
 *
 * @throws a ServiceError INVALID_FILTER
 */
export function parseWholeFilter(text: string): Filter {
  const trimmed = text.trim()
  const { filter, end } = parseFilter(trimmed)
  if (end === trimmed.length) return filter
  const rest = trimmed.slice(end, end + 20).toWellFormed()
  throw invalidFilter(`cannot be read at ${JSON.stringify(rest)}`)
}

export function invalidFilter(problem: string) {
  return new ServiceError(reasons.INVALID_FILTER, `The filter ${problem}`)
}

function parseLiteral(text: string): Literal {
  const value = parseJson(text.startsWith('"') ? text : text.toLowerCase())
  if (value === undefined || (typeof value === 'string' && findTextViolation(value)))
    throw invalidFilter('contains an invalid string')
  return value
}

function parseJson(text: string): Literal | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
