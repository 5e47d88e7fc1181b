import { findTextViolation } from '../core/text-violation.ts'
import { invalidScim } from './scim-errors.ts'

/** A comparison `attribute eq value`. The attribute is in lower case. */
export type Comparison = { attribute: string; value: string | number | boolean | null }

const maxLength = 1000
const maxComparisons = 10

const attributeName = /[A-Za-z$][\w$:.-]*/y
const operator = /\s+([A-Za-z]+)\s+/y
const literal = /"(?:[^"\\]|\\.)*"|true\b|false\b|null\b|-?\d+(?:\.\d+)?/y
const conjunction = /\s+and\s+/iy

/**
 * Parses a filter of `eq` comparisons joined by `and` (RFC 7644, section 3.4.2.2), from `start` up to
 * the end of the text, or to the bracket that ends the filter of a path. Returns the position after it.
 *
 * @throws a ServiceError INVALID_FILTER for anything else
 */
export function parseFilter(text: string, start = 0): { comparisons: Comparison[]; end: number } {
  if (text.length > maxLength) throw invalid(`must be at most ${maxLength} characters long`)
  const comparisons: Comparison[] = []
  let position = start

  const read = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = position
    const match = pattern.exec(text)
    if (match) position = pattern.lastIndex
    return match ?? undefined
  }

  do {
    if (comparisons.length === maxComparisons)
      throw invalid(`must contain at most ${maxComparisons} comparisons`)
    const name = read(attributeName)?.[0]
    if (!name) throw invalid('must be a comparison such as userName eq "bob@example.com"')
    const used = read(operator)?.[1]?.toLowerCase()
    if (used !== 'eq') throw invalid('supports only the operators eq and and')
    const value = read(literal)?.[0]
    if (value === undefined) throw invalid('must compare with a JSON string, number or boolean')
    comparisons.push({ attribute: name.toLowerCase(), value: parseLiteral(value) })
  } while (read(conjunction))
  return { comparisons, end: position }
}

/** Parses a filter that is the whole text. */
export function parseWholeFilter(text: string): Comparison[] {
  const { comparisons, end } = parseFilter(text.trim())
  if (end !== text.trim().length) throw invalid('supports only the operators eq and and')
  return comparisons
}

function parseLiteral(text: string): Comparison['value'] {
  const value = parseJson(text)
  if (value === undefined || (typeof value === 'string' && findTextViolation(value)))
    throw invalid('contains an invalid string')
  return value
}

function parseJson(text: string): Comparison['value'] | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function invalid(problem: string) {
  return invalidScim('INVALID_FILTER', `The filter ${problem}`)
}
