import { parseJsonObject } from '../../core/json-object.ts'
import { isTimestamp } from '../../core/timestamp.ts'
import { findJsonEnd } from './json-text.ts'
import type { Problem, Tuple } from './tuple.ts'

const type = /(?:[a-z][a-z0-9_]*\/)*[a-z][a-z0-9_]*/y
const id = /[\w/|=+-]+/y
const relation = /[a-z][a-z0-9_]*/y

/** The parts that every relationship has. `zed backup parse-relationships` prints spaces for # and @. */
const parts: [expected: string, pattern: RegExp][] = [
  ['the type of the resource', type],
  ['":"', /:/y],
  ['the ID of the resource', id],
  ['"#"', /#| +/y],
  ['a relation', relation],
  ['"@"', /@| +/y],
  ['the type of the subject', type],
  ['":"', /:/y],
  ['the ID of the subject', /[\w/|=+-]+|\*/y],
]

/**
 * Parses a relationship of SpiceDB, such as `document:plan#viewer@user:ann[office_hours:{"zone":1}]`.
 * Returns the first problem if it has any.
 */
export function parseRelationship(text: string, line: number): Tuple | Problem {
  let at = text.search(/\S|$/)
  const column = at + 1
  const end = text.trimEnd().length
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const [found] = pattern.exec(text) ?? []
    at += found?.length ?? 0
    return found
  }
  const expect = (expected: string): Problem => ({
    place: { line, column: at + 1 },
    message: `expected ${expected}`,
  })

  const found: string[] = []
  for (const [expected, pattern] of parts) {
    const part = take(pattern)
    if (part === undefined) return expect(expected)
    found.push(part)
  }
  const [objectType = '', , objectId = '', , name = '', , subjectType = '', , subjectId = ''] =
    found
  const subject: Tuple['subject'] = { type: subjectType, id: subjectId, relation: undefined }
  if (take(/#/y)) {
    const subjectRelation = take(/[a-z][a-z0-9_]*|\.\.\./y)
    if (subjectRelation === undefined) return expect('a relation')
    if (subjectRelation !== '...') subject.relation = subjectRelation
  }

  let condition: Tuple['condition']
  let expiresAt: string | undefined
  while (take(/\[/y)) {
    const trait = take(type)
    if (trait === undefined) return expect('the name of a caveat, or "expiration"')
    const hasValue = take(/:/y) !== undefined
    if (trait === 'expiration') {
      const time = take(/\d{4}-\d\d-\d\dT[\d:.]+Z/y)
      if (!time || !isTimestamp(time)) return expect('a time such as 2030-01-31T12:00:00Z')
      expiresAt = new Date(time).toISOString()
    } else {
      const jsonEnd = hasValue && text[at] === '{' ? findJsonEnd(text, at) : undefined
      const context = hasValue ? parseJsonObject(text.slice(at, jsonEnd ?? at)) : {}
      if (!context) return expect('a JSON object')
      at = jsonEnd ?? at
      condition = { name: trait, context }
    }
    if (!take(/\]/y)) return expect('"]"')
  }
  if (at < end) return expect('the end of the line')
  const object = { type: objectType, id: objectId }
  const place = { line, column }
  return { place, object, relation: name, subject, condition, expiresAt }
}
