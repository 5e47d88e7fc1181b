import { ServiceError } from '../core/errors.ts'
import { type Attribute, findAttribute, type ResourceSchemas, type Schema } from './attributes.ts'
import { type Filter, parseFilter } from './filter.ts'
import { reasons } from './reasons.ts'

/** What a path selects: a whole extension, an attribute, some of its values, or a sub-attribute. */
export type Target = {
  schema: Schema
  attribute?: Attribute
  filter?: Filter
  sub?: Attribute
}

const name = /[\w$][\w$-]*/y
const maxLength = 1000

/**
 * Parses a path (RFC 7644, figure 7), such as `name.givenName`, `emails[type eq "work"].value` or an
 * attribute after the URN of its schema. Returns undefined if the schema does not contain it.
 *
 * @throws a ServiceError INVALID_PATH if it is no path
 */
export function parsePath(
  text: string,
  { core, extensions }: ResourceSchemas,
  common: Attribute[],
): Target | undefined {
  if (text.length > maxLength) throw invalidPath(text)
  const found = findSchema(text, [core, ...extensions])
  if (!found) {
    if (/^urn:/i.test(text)) return undefined
    return parseAttribute(text, 0, core, [...core.attributes, ...common])
  }
  const { schema, end } = found
  if (end === text.length) return schema === core ? undefined : { schema }
  return parseAttribute(text, end + 1, schema, schema.attributes)
}

/** Finds the schema whose URN the text begins with. */
function findSchema(text: string, schemas: Schema[]): { schema: Schema; end: number } | undefined {
  const lower = text.toLowerCase()
  for (const schema of schemas) {
    const { length } = schema.id
    if (!lower.startsWith(schema.id.toLowerCase())) continue
    if (length === text.length || text[length] === ':') return { schema, end: length }
  }
  return undefined
}

function parseAttribute(
  text: string,
  start: number,
  schema: Schema,
  attributes: Attribute[],
): Target | undefined {
  name.lastIndex = start
  const found = name.exec(text)?.[0]
  if (!found) throw invalidPath(text)
  let position = start + found.length
  let filter: Filter | undefined
  if (text[position] === '[') {
    const parsed = parsePathFilter(text, position + 1)
    if (text[parsed.end] !== ']') throw invalidPath(text)
    filter = parsed.filter
    position = parsed.end + 1
  }
  let subName: string | undefined
  if (text[position] === '.') {
    name.lastIndex = position + 1
    subName = name.exec(text)?.[0]
    if (!subName) throw invalidPath(text)
    position += 1 + subName.length
  }
  if (position !== text.length) throw invalidPath(text)

  const attribute = findAttribute(attributes, found)
  if (!attribute) return undefined
  if (filter && !attribute.multiValued) throw invalidPath(text)
  if (subName === undefined) return { schema, attribute, ...(filter && { filter }) }
  const sub = findAttribute(attribute.subAttributes ?? [], subName)
  return sub && { schema, attribute, sub, ...(filter && { filter }) }
}

/** A filter that cannot be read makes the path invalid. */
function parsePathFilter(text: string, start: number): ReturnType<typeof parseFilter> {
  try {
    return parseFilter(text, start)
  } catch (error) {
    if (error instanceof ServiceError) throw invalidPath(text, error.message)
    throw error
  }
}

function invalidPath(text: string, reason?: string) {
  const problem = reason === undefined ? 'is not a valid path' : `is not a valid path: ${reason}`
  return new ServiceError(reasons.INVALID_PATH, `${text.slice(0, 100).toWellFormed()} ${problem}`)
}
