import { ServiceError } from '../core/errors.ts'
import { isJsonObject } from '../core/json-object.ts'
import { findTextViolation } from '../core/text-violation.ts'
import type { Attribute, ResourceSchemas } from './attributes.ts'
import { reasons } from './reasons.ts'
import { invalidValue } from './scim-errors.ts'

/** Attributes by the names of the schema; those of an extension are in an object under its URN. */
export type Attributes = { [name: string]: unknown }

/** The maximum number of values of an attribute. */
export const maxItems = 100

/** The maximum number of members of an object, including those that are ignored. */
const maxMembers = 500
const maxTextLength = 8000
const maxBytes = 64 * 1024

/**
 * Reads the attributes that the schemas declare, and ignores all others. Names are compared without
 * regard to case, and the values of read-only attributes are ignored.
 *
 * @throws a ServiceError INVALID_VALUE if a value does not have the type of its attribute
 */
export function readResource(
  resource: object,
  { core, extensions }: ResourceSchemas,
  common: Attribute[],
): Attributes {
  const members = membersOf(resource)
  const attributes = readMembers(members, [...common, ...core.attributes])
  for (const { id, attributes: own } of extensions) {
    const extension = members.get(id.toLowerCase())
    if (extension === undefined || extension === null) continue
    if (!isJsonObject(extension)) throw invalidValue(id, 'must be an object')
    const values = readMembers(membersOf(extension), own)
    if (Object.keys(values).length > 0) attributes[id] = values
  }
  requireStorable(attributes)
  return attributes
}

export function requireStorable(attributes: Attributes): void {
  if (Buffer.byteLength(JSON.stringify(attributes)) > maxBytes)
    throw new ServiceError(
      reasons.INVALID_VALUE,
      `The resource must be at most ${maxBytes} bytes long`,
    )
}

/** Reads the value of an attribute. Returns undefined if it has none: null, or nothing but nulls. */
export function readValue(attribute: Attribute, value: unknown): unknown {
  if (value === null || value === undefined) return undefined
  if (!attribute.multiValued) return readItem(attribute, onlyItem(attribute, value))
  const items = Array.isArray(value) ? value : [value]
  if (items.length > maxItems)
    throw invalidValue(attribute.name, `must have at most ${maxItems} values`)
  const values = items.map((item) => readItem(attribute, item)).filter(isAssigned)
  return values.length > 0 ? values : undefined
}

function readMembers(members: Map<string, unknown>, attributes: Attribute[]): Attributes {
  const values: Attributes = {}
  for (const attribute of attributes) {
    if (attribute.mutability === 'readOnly') continue
    const value = readValue(attribute, members.get(attribute.name.toLowerCase()))
    if (isAssigned(value)) values[attribute.name] = value
  }
  return values
}

/** Reads one of the values of an attribute. */
export function readItem(attribute: Attribute, value: unknown): unknown {
  if (value === null || value === undefined) return undefined
  const { name, type, subAttributes = [] } = attribute
  if (type === 'complex') {
    // Entra ID removes a manager so.
    if (value === '') return undefined
    const members = isJsonObject(value) ? membersOf(value) : readBareValue(attribute, value)
    const values = readMembers(members, subAttributes)
    return Object.keys(values).length > 0 ? values : undefined
  }
  // Older versions of Entra ID send {"value": …} for a simple value.
  const simple = isJsonObject(value) ? membersOf(value).get('value') : value
  if (type === 'boolean') return readBoolean(name, simple)
  return readText(name, simple)
}

/** Entra ID sends the ID of a manager instead of an object. */
function readBareValue({ name, subAttributes = [] }: Attribute, value: unknown) {
  const isBare = typeof value === 'string' && subAttributes.some((sub) => sub.name === 'value')
  if (!isBare) throw invalidValue(name, 'must be an object')
  return new Map<string, unknown>([['value', value]])
}

/** Entra ID sends booleans as text, such as "False". */
function readBoolean(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value
  const text = typeof value === 'string' ? value.toLowerCase() : ''
  if (text !== 'true' && text !== 'false') throw invalidValue(name, 'must be true or false')
  return text === 'true'
}

function readText(name: string, value: unknown): string {
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') throw invalidValue(name, 'must be a string')
  const violation = findTextViolation(value)
  if (violation) throw invalidValue(name, violation)
  if (value.length > maxTextLength)
    throw invalidValue(name, `must be at most ${maxTextLength} characters long`)
  return value
}

function onlyItem({ name }: Attribute, value: unknown): unknown {
  if (!Array.isArray(value)) return value
  if (value.length > 1) throw invalidValue(name, 'must have one value')
  return value[0]
}

/** Returns the members of an object by their names in lower case. */
export function membersOf(object: object): Map<string, unknown> {
  const names = Object.keys(object)
  if (names.length > maxMembers)
    throw new ServiceError(
      reasons.INVALID_SYNTAX,
      `An object must have at most ${maxMembers} members`,
    )
  return new Map(
    names.map((name) => [name.toLowerCase(), (object as Record<string, unknown>)[name]]),
  )
}

function isAssigned(value: unknown): boolean {
  return value !== undefined
}
