import type { DescField, DescMessage, FileRegistry } from '@bufbuild/protobuf'
import type { FieldViolation } from '../core/errors.ts'
import { fieldOption, messageOption } from './descriptors.ts'

/** Sets of fields, of which a message must contain exactly one (policy.proto, `exactly_one_of`). */
export type FieldSets = string[][]

type MessageRules = {
  exactly_one_of?: { fields: string[] }[]
  at_least_one_of?: { fields: string[] }
}

/** Reads the field sets of a message. Throws if one names a field that does not exist. */
export function readFieldSets(registry: FileRegistry, message: DescMessage): FieldSets {
  const sets = (readRules(registry, message).exactly_one_of ?? []).map(({ fields }) => fields)
  for (const fields of sets) requireFields(message, fields)
  return sets
}

/** Fields of which a message, or each message at a path in it, must contain at least one. */
export type Alternatives = { path: string[]; fields: string[] }[]

/** Reads the `at_least_one_of` rules of a message and of the messages in it. */
export function readAlternatives(registry: FileRegistry, message: DescMessage): Alternatives {
  const fields = readOwnAlternatives(registry, message)
  const nested = message.fields.flatMap((field) =>
    field.message && isValidated(registry, field)
      ? readAlternatives(registry, field.message).map((rule) => ({
          ...rule,
          path: [field.name, ...rule.path],
        }))
      : [],
  )
  return fields.length > 0 ? [{ path: [], fields }, ...nested] : nested
}

/** Returns the fields of which a message itself must contain at least one; empty without a rule. */
export function readOwnAlternatives(registry: FileRegistry, message: DescMessage): string[] {
  const fields = readRules(registry, message).at_least_one_of?.fields ?? []
  requireFields(message, fields)
  return fields
}

/** Excludes Struct, which contains itself, and lenient items, which the handler validates. */
function isValidated(registry: FileRegistry, field: DescField): boolean {
  const rules = fieldOption(registry, field, 'daikon.v1.rules') as
    | { lenient_items?: boolean }
    | undefined
  return field.message?.file.proto.package === 'daikon.v1' && !rules?.lenient_items
}

function readRules(registry: FileRegistry, message: DescMessage): MessageRules {
  return (messageOption(registry, message, 'daikon.v1.message_rules') ?? {}) as MessageRules
}

function requireFields(message: DescMessage, fields: string[]): void {
  const unknown = fields.find((name) => !message.fields.some((field) => field.name === name))
  if (unknown) throw new Error(`${message.typeName} has no field ${unknown}`)
}

/** Returns a violation for each message that contains none of the fields of its rule. */
export function checkAlternatives(rules: Alternatives, message: unknown): FieldViolation[] {
  return rules.flatMap(({ path, fields: [field = '', ...others] }) =>
    findMessages(message, path)
      .filter(({ value }) => [field, ...others].every((name) => value[name] === undefined))
      .map(({ prefix }) => ({
        field: `${prefix}${field}`,
        message: `is required, or ${others.join(' or ')}`,
      })),
  )
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
