import type { DescField, DescMessage, FileRegistry } from '@bufbuild/protobuf'
import { isJsonObject } from '../core/json-object.ts'
import { toCanonicalId } from '../core/uuid.ts'
import { readOption } from './descriptors.ts'

/**
 * Converts the UUIDs of a message to lower case, in place: they are compared as text with those that
 * PostgreSQL returns. Ignores values of another type, which only handlers validate (`lenient_items`).
 */
export type ToCanonicalIds = (message: unknown) => void

type Message = Record<string, unknown>

/** Returns undefined if the messages have no fields for UUIDs. */
export function createToCanonicalIds(
  registry: FileRegistry,
  { fields }: DescMessage,
): ToCanonicalIds | undefined {
  const steps = fields.flatMap((field) => createStep(registry, field) ?? [])
  if (steps.length === 0) return undefined
  return (message) => {
    if (!isJsonObject(message)) return
    for (const step of steps) step(message)
  }
}

function createStep(
  registry: FileRegistry,
  field: DescField,
): ((message: Message) => void) | undefined {
  const { name } = field
  const convertOne = createConvertText(registry, field) ?? createConvertMessage(registry, field)
  if (!convertOne) return undefined
  return (message) => {
    const value = message[name]
    if (Array.isArray(value))
      for (const [index, item] of value.entries()) value[index] = convertOne(item)
    else if (value !== undefined && Object.hasOwn(message, name)) message[name] = convertOne(value)
  }
}

function createConvertText(
  registry: FileRegistry,
  field: DescField,
): ((value: unknown) => unknown) | undefined {
  const prefix = namesProvider(registry, field) ? connectionPrefix : ''
  if (!prefix && !isId(registry, field)) return undefined
  return (value) =>
    typeof value === 'string' && value.startsWith(prefix)
      ? prefix + toCanonicalId(value.slice(prefix.length))
      : value
}

/** In the name of a connection's provider, its ID follows. */
const connectionPrefix = 'connection:'

function createConvertMessage(
  registry: FileRegistry,
  { message: type }: DescField,
): ((value: unknown) => unknown) | undefined {
  // A Struct is recursive, and contains any JSON.
  if (!type || type.typeName.startsWith('google.protobuf.')) return undefined
  const convert = createToCanonicalIds(registry, type)
  if (!convert) return undefined
  return (value) => {
    convert(value)
    return value
  }
}

/** Whether the value of a field is a UUID, or can be one. */
export function isId(registry: FileRegistry, field: DescField): boolean {
  const rules = rulesOf(registry, field)
  return rules?.format === 'FORMAT_UUID' || rules?.may_be_uuid === true
}

/** Whether the value of a field is the name of an identity provider. */
export function namesProvider(registry: FileRegistry, field: DescField): boolean {
  return rulesOf(registry, field)?.names_provider === true
}

function rulesOf(registry: FileRegistry, field: DescField) {
  return readOption(registry, field, 'daikon.v1.rules') as
    | { format?: string; may_be_uuid?: boolean; names_provider?: boolean }
    | undefined
}
