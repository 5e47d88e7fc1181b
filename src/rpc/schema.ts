import type { DescField, DescMessage, FileRegistry } from '@bufbuild/protobuf'
import { fieldOption } from './descriptors.ts'
import { readOwnAlternatives } from './field-sets.ts'

export type JsonSchema = { [keyword: string]: unknown }

/** The `rules` option of a field (policy.proto). */
type FieldRules = {
  format?: keyof typeof formatMaxLengths
  min_length?: number
  max_length?: number
  pattern?: string
  one_of?: string[]
  reserved?: string[]
  minimum?: number
  maximum?: number
  min_items?: number
  max_items?: number
  /** Whether the handler validates the items. */
  lenient_items?: boolean
  /** The default value, as JSON. */
  default?: string
}

/** The maximum length of each format in characters, unless a field sets `max_length`. */
const formatMaxLengths = {
  FORMAT_UUID: undefined,
  FORMAT_NAME: 200,
  FORMAT_TITLE: 200,
  FORMAT_TEXT: 2000,
  FORMAT_EMAIL: 254,
  FORMAT_PAGE_TOKEN: 100,
}

/** The formats that do not allow an empty string, even in an optional field. */
const nonEmptyFormats = new Set(['FORMAT_UUID', 'FORMAT_NAME', 'FORMAT_TITLE', 'FORMAT_EMAIL'])

/** The JSON Schema of each protobuf scalar type (FieldDescriptorProto.Type) that messages use. */
export const scalarSchemas: Record<number, JsonSchema> = {
  5: { type: 'integer', minimum: -2_147_483_648, maximum: 2_147_483_647 }, // int32
  8: { type: 'boolean' },
  9: { type: 'string', format: 'unicode' },
  13: { type: 'integer', minimum: 0, maximum: 4_294_967_295 }, // uint32
}

/** The message type of arbitrary JSON objects. */
export const structName = 'google.protobuf.Struct'

/** The purpose of a schema. Only `documentation` describes items that the handler validates. */
type Reader = 'validation' | 'documentation'

/** Returns the JSON Schema of a request message, for validation or for the OpenAPI document. */
export function requestSchema(
  registry: FileRegistry,
  message: DescMessage,
  reader: Reader = 'validation',
): JsonSchema {
  if (message.typeName === structName) return { type: 'object' }
  const properties = Object.fromEntries(
    message.fields.map((field) => [field.name, fieldSchema(registry, field, reader)]),
  )
  const required = message.fields.filter(isRequired).map((field) => field.name)
  const schema = { type: 'object', additionalProperties: false, properties, required }
  const alternatives = reader === 'documentation' ? readOwnAlternatives(registry, message) : []
  if (alternatives.length === 0) return schema
  // Inside `allOf`, so that type generators keep the properties.
  return { ...schema, allOf: [{ anyOf: alternatives.map((field) => ({ required: [field] })) }] }
}

/** Whether a field is a timestamp, which JSON and handlers represent as text (RFC 3339). */
export function isTimestamp({ message }: DescField): boolean {
  return message?.typeName === 'google.protobuf.Timestamp'
}

/** Singular fields are required unless they are declared `optional`. */
function isRequired(field: DescField): boolean {
  return field.fieldKind !== 'list' && !field.proto.proto3Optional
}

/** Whether a list must have items. Responses omit such a list if it is empty. */
export function hasMinItems(registry: FileRegistry, field: DescField): boolean {
  const rules = fieldOption(registry, field, 'daikon.v1.rules') as FieldRules | undefined
  return Boolean(rules?.min_items)
}

function fieldSchema(registry: FileRegistry, field: DescField, reader: Reader): JsonSchema {
  const rules = (fieldOption(registry, field, 'daikon.v1.rules') ?? {}) as FieldRules
  if (field.fieldKind === 'list') {
    if (rules.lenient_items && reader === 'validation') return listSchema({}, rules)
    const items =
      field.listKind === 'message'
        ? requestSchema(registry, field.message, reader)
        : { ...scalarSchemas[field.scalar as number], ...ruleKeywords(rules, true) }
    return listSchema(items, rules)
  }
  if (isTimestamp(field)) return { type: 'string', format: 'date-time' }
  if (field.fieldKind === 'message') return requestSchema(registry, field.message, reader)
  if (field.fieldKind !== 'scalar') throw new Error(`${field} has an unsupported field kind`)
  return { ...scalarSchemas[field.scalar], ...ruleKeywords(rules, isRequired(field)) }
}

/**
 * Returns the schema of a list. The items of a list that exceeds `max_items` are not validated,
 * because validating a million of them would take seconds.
 */
function listSchema(items: JsonSchema, { min_items, max_items }: FieldRules): JsonSchema {
  // As in protobuf, a missing list equals an empty one; `minItems` then reports the problem.
  const bounds = { type: 'array', default: [], ...(min_items && { minItems: min_items }) }
  if (max_items === undefined) return { ...bounds, items }
  return { ...bounds, maxItems: max_items, if: { minItems: max_items + 1 }, else: { items } }
}

function ruleKeywords(rules: FieldRules, required: boolean): JsonSchema {
  const { format, min_length, max_length, pattern, one_of, reserved, minimum, maximum } = rules
  const isNumber = minimum !== undefined || maximum !== undefined
  const isNonEmpty = nonEmptyFormats.has(format ?? '') || (required && !isNumber)
  return withoutUndefined({
    minLength: min_length ?? (isNonEmpty ? 1 : undefined),
    maxLength: max_length ?? (format && formatMaxLengths[format]),
    format: format?.replace('FORMAT_', '').toLowerCase(),
    pattern,
    enum: one_of,
    not: reserved && { enum: reserved },
    minimum,
    maximum,
    default: rules.default === undefined ? undefined : JSON.parse(rules.default),
  })
}

function withoutUndefined(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined))
}
