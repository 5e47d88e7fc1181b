import type { DescField, DescMessage, FileRegistry } from '@bufbuild/protobuf'
import type { FieldViolation } from '../core/errors.ts'
import { readOption } from './descriptors.ts'

/**
 * Sets of fields. A message must contain exactly one of the sets (policy.proto, `exactly_one_of`).
 */
export type FieldSets = string[][]

type MessageRules = {
  exactly_one_of?: { fields: string[] }[]
  at_least_one_of?: { fields: string[] }
  sets_required_by_handler?: { fields: string[] }[]
  only_one_of?: { fields: string[] }[]
}

/** Reads the field sets of a message. Throws if one names a field that does not exist. */
export function readFieldSets(registry: FileRegistry, message: DescMessage): FieldSets {
  const sets = (readRules(registry, message).exactly_one_of ?? []).map(({ fields }) => fields)
  for (const fields of sets) requireFields(message, fields)
  return sets
}

/**
 * A rule that a message, or each message at a path in it, must contain at least one of the fields,
 * or only one if they are exclusive.
 */
export type Alternatives = { path: string[]; fields: string[]; areExclusive: boolean }[]

/** Reads the `at_least_one_of` and `only_one_of` rules of a message and of the messages in it. */
export function readAlternatives(registry: FileRegistry, message: DescMessage): Alternatives {
  const fields = readOwnAlternatives(registry, message)
  const exclusive = readExclusiveSets(registry, message).map((fields) => ({
    path: [],
    fields,
    areExclusive: true,
  }))
  const nested = message.fields.flatMap((field) =>
    field.message && isValidated(registry, field)
      ? readAlternatives(registry, field.message).map((rule) => ({
          ...rule,
          path: [field.name, ...rule.path],
        }))
      : [],
  )
  const own = fields.length > 0 ? [{ path: [], fields, areExclusive: false }] : []
  return [...own, ...exclusive, ...nested]
}

/** Returns the message's own `only_one_of` rules. */
export function readExclusiveSets(registry: FileRegistry, message: DescMessage): FieldSets {
  const sets = (readRules(registry, message).only_one_of ?? []).map(({ fields }) => fields)
  for (const fields of sets) requireFields(message, fields)
  return sets
}

/**
 * Returns the fields named by the message's own `at_least_one_of` rule; empty if it has no such
 * rule.
 */
export function readOwnAlternatives(registry: FileRegistry, message: DescMessage): string[] {
  const fields = readRules(registry, message).at_least_one_of?.fields ?? []
  requireFields(message, fields)
  return fields
}

/**
 * Returns the documented alternatives: a message must contain all fields of at least one set. A
 * list must have items.
 */
export function readDocumentedSets(registry: FileRegistry, message: DescMessage): FieldSets {
  const own = readOwnAlternatives(registry, message).map((field) => [field])
  const sets = readRules(registry, message).sets_required_by_handler ?? []
  for (const { fields } of sets) requireFields(message, fields)
  return [...own, ...sets.map(({ fields }) => fields)]
}

/** Excludes Struct, which contains itself, and lenient items, which the handler validates. */
function isValidated(registry: FileRegistry, field: DescField): boolean {
  const rules = readOption(registry, field, 'daikon.v1.rules') as
    | { lenient_items?: boolean }
    | undefined
  return field.message?.file.proto.package === 'daikon.v1' && !rules?.lenient_items
}

function readRules(registry: FileRegistry, message: DescMessage): MessageRules {
  return (readOption(registry, message, 'daikon.v1.message_rules') ?? {}) as MessageRules
}

function requireFields(message: DescMessage, fields: string[]): void {
  const unknown = fields.find((name) => !message.fields.some((field) => field.name === name))
  if (unknown) throw new Error(`${message.typeName} has no field ${unknown}`)
}

/**
 * Returns a violation for each message that contains none of the fields of its rule, or several that
 * exclude each other.
 */
export function checkAlternatives(rules: Alternatives, message: unknown): FieldViolation[] {
  return rules.flatMap(({ path, fields, areExclusive }) =>
    findMessages(message, path).flatMap(({ value, prefix }) => {
      const [first, ...others] = fields
      const [present, extra] = fields.filter((name) => !isAbsent(value[name]))
      if (present === undefined)
        return { field: `${prefix}${first}`, message: `is required, or ${others.join(' or ')}` }
      if (!areExclusive || extra === undefined) return []
      return { field: `${prefix}${extra}`, message: `must not be combined with ${present}` }
    }),
  )
}

/** A field with the rule `empty_is_absent` is empty if it is absent. */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === ''
}

/** The maximum number of items that are checked. Longer lists are invalid anyway. */
const maxCheckedItems = 1000

type FoundMessage = { value: Record<string, unknown>; prefix: string }

/** Returns the messages at a path, which may lead into lists, with the prefix of their fields. */
function findMessages(value: unknown, path: string[], prefix = ''): FoundMessage[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) {
    const list = prefix.slice(0, -1)
    const items = value.slice(0, maxCheckedItems)
    return items.flatMap((item, index) => findMessages(item, path, `${list}[${index}].`))
  }
  const message = value as Record<string, unknown>
  const [name, ...rest] = path
  if (name === undefined) return [{ value: message, prefix }]
  return findMessages(message[name], rest, `${prefix}${name}.`)
}

/** Returns the violations of a message that contains no set, more than one, or only part of one. */
export function checkFieldSets(sets: FieldSets, message: unknown): FieldViolation[] {
  if (sets.length === 0 || typeof message !== 'object' || message === null) return []
  const isPresent = (name: string) => (message as Record<string, unknown>)[name] !== undefined
  const [present, ...others] = sets.filter((fields) => fields.some(isPresent))
  if (!present) {
    const [[field = '', ...rest] = [], ...alternatives] = sets
    const message = `is required${rest.length > 0 ? ` with ${join(rest)}` : ''}, or ${alternatives.map(join).join(', or ')}`
    return [{ field, message }]
  }
  if (others.length > 0) {
    return others.map((fields) => ({
      field: fields.find(isPresent) as string,
      message: `must not be combined with ${present.find(isPresent)}`,
    }))
  }
  return present
    .filter((name) => !isPresent(name))
    .map((field) => ({ field, message: `is required with ${present.find(isPresent)}` }))
}

/** Formats a list, such as `service_name, resource_type and resource_id`. */
function join(names: string[]): string {
  return names.join(', ').replace(/, ([^,]*)$/, ' and $1')
}
