import type { DescMessage, FileRegistry } from '@bufbuild/protobuf'
import type { FieldViolation } from '../core/errors.ts'
import { messageOption } from './descriptors.ts'

/** Sets of fields of which a message contains exactly one (policy.proto, `exactly_one_of`). */
export type FieldSets = string[][]

type MessageRules = {
  exactly_one_of?: { fields: string[] }[]
  at_least_one_of?: { fields: string[] }
}

/** Reads the field sets of a message; throws when one names a field that does not exist. */
export function readFieldSets(registry: FileRegistry, message: DescMessage): FieldSets {
  const sets = (readRules(registry, message).exactly_one_of ?? []).map(({ fields }) => fields)
  for (const fields of sets) requireFields(message, fields)
  return sets
}

/** Reads the fields of which a message contains at least one; empty when there is no such rule. */
export function readAlternatives(registry: FileRegistry, message: DescMessage): string[] {
  const fields = readRules(registry, message).at_least_one_of?.fields ?? []
  requireFields(message, fields)
  return fields
}

function readRules(registry: FileRegistry, message: DescMessage): MessageRules {
  return (messageOption(registry, message, 'daikon.v1.message_rules') ?? {}) as MessageRules
}

function requireFields(message: DescMessage, fields: string[]): void {
  const unknown = fields.find((name) => !message.fields.some((field) => field.name === name))
  if (unknown) throw new Error(`${message.typeName} has no field ${unknown}`)
}

/** Returns the violation of a message that contains none of the fields. */
export function checkAlternatives(fields: string[], message: unknown): FieldViolation[] {
  const [field, ...others] = fields
  if (!field || typeof message !== 'object' || message === null) return []
  const isPresent = (name: string) => (message as Record<string, unknown>)[name] !== undefined
  if (fields.some(isPresent)) return []
  return [{ field, message: `is required, or ${others.join(' or ')}` }]
}

/** Returns the violations of a message that contains no set, more than one, or a part of one. */
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

/** `service_name, resource_type and resource_id`. */
function join(names: string[]): string {
  return names.join(', ').replace(/, ([^,]*)$/, ' and $1')
}
