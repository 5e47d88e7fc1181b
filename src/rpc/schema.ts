import type { DescField, DescMessage, FileRegistry } from '@bufbuild/protobuf'
import { readOption } from './descriptors.ts'
import { readDocumentedSets, readExclusiveSets } from './field-sets.ts'
import { listFieldOf } from './list-messages.ts'

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
  max_json_bytes?: number
  /** Rules that the handler enforces, for the documentation. */
  required_by_handler?: boolean
  handler_pattern?: string
  handler_excludes?: string
  empty_is_absent?: boolean
}

/** The maximum length of each format in characters, unless a field sets `max_length`. */
const formatMaxLengths = {
  FORMAT_UUID: undefined,
  FORMAT_NAME: 200,
  FORMAT_TITLE: 200,
  FORMAT_TEXT: 2000,
  FORMAT_EMAIL: 254,
  FORMAT_PAGE_TOKEN: 100,
  FORMAT_EXTERNAL_ID: 255,
  FORMAT_SLUG: undefined,
  FORMAT_SOURCE: undefined,
}

/** The formats that do not allow an empty string, even in an optional field. */
const nonEmptyFormats = new Set(['FORMAT_UUID', 'FORMAT_NAME', 'FORMAT_TITLE', 'FORMAT_EMAIL'])

/** The JSON Schema of each protobuf scalar type (FieldDescriptorProto.Type) that messages use. */
export const scalarSchemas: Record<number, JsonSchema> = {
  5: { type: 'integer', minimum: -2_147_483_648, maximum: 2_147_483_647 }, // int32
  8: { type: 'boolean' },
  9: { type: 'string', format: 'storable' },
  13: { type: 'integer', minimum: 0, maximum: 4_294_967_295 }, // uint32
}

/** The message type of arbitrary JSON objects. */
export const structName = 'google.protobuf.Struct'

/** The keyword for a JSON object, with its maximum size in bytes, or null. */
export const jsonObject = 'jsonObject'

/** The purpose of a schema. Only `documentation` describes items that the handler validates. */
type Reader = 'validation' | 'documentation'

/** Returns the JSON Schema of a request message, for validation or for the OpenAPI document. */
export function requestSchema(
  registry: FileRegistry,
  message: DescMessage,
  reader: Reader = 'validation',
): JsonSchema {
  if (message.typeName === structName)
    return { type: 'object', ...(reader === 'documentation' && { additionalProperties: true }) }
  const properties = Object.fromEntries(
    message.fields.map((field) => [field.name, fieldSchema(registry, field, reader)]),
  )
  const isListed = (field: DescField) =>
    isRequired(registry, field) ||
    (reader === 'documentation' && isRequiredByHandler(registry, field))
  const required = message.fields.filter(isListed).map((field) => field.name)
  const schema = { type: 'object', additionalProperties: false, properties, required }
  if (reader !== 'documentation') return schema
  const sets = readDocumentedSets(registry, message)
  const exclusiveSets = readExclusiveSets(registry, message)
  if (sets.length + exclusiveSets.length === 0) return schema
  const kindOf = (name: string) => message.fields.find((field) => field.name === name)?.fieldKind
  const present = (fields: string[]) => ({
    required: fields,
    additionalProperties: true,
    properties: Object.fromEntries(
      fields.map((name) => [
        name,
        kindOf(name) === 'list'
          ? { not: { type: 'null' }, minItems: 1 }
          : { not: { type: 'null' } },
      ]),
    ),
  })
  const allOf = exclusiveSets.map((fields) => requireOne(fields.map((name) => present([name]))))
  if (sets.length > 0) allOf.push(requireAny(sets.map(present)))
  return { ...schema, allOf }
}

/**
 * Requires at least one of the schemas. `if` says the same as `anyOf`, of which code generators
 * would make types that nobody can name.
 */
function requireAny([first = {}, ...others]: JsonSchema[]): JsonSchema {
  return others.length === 0 ? first : { if: first, else: requireAny(others) }
}

/** Requires exactly one of the schemas, for the same reason without `oneOf`. */
function requireOne([first = {}, ...others]: JsonSchema[]): JsonSchema {
  if (others.length === 0) return first
  const any = others.length === 1 ? others[0] : { anyOf: others }
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, in an object that is never awaited
  return { if: first, then: { not: any }, else: requireOne(others) }
}

/** Whether a field is a timestamp, which JSON and handlers represent as text (RFC 3339). */
export function isTimestamp({ message }: DescField): boolean {
  return message?.typeName === 'google.protobuf.Timestamp'
}

/** Whether a field is a JSON object of any content. */
export function isStruct({ message }: DescField): boolean {
  return message?.typeName === structName
}

/** Singular fields are required unless they are declared `optional` or may be empty. */
function isRequired(registry: FileRegistry, field: DescField): boolean {
  if (field.fieldKind === 'list' || field.proto.proto3Optional) return false
  return !isEmptyAbsent(registry, field)
}

/** Whether an empty string means that the field is absent. In JSON, it is null. */
export function isEmptyAbsent(registry: FileRegistry, field: DescField): boolean {
  const rules = readOption(registry, field, 'daikon.v1.rules') as FieldRules | undefined
  return rules?.empty_is_absent ?? false
}

/** Returns the maximum number of items of a list, if it has one. */
export function maxItemsOf(registry: FileRegistry, field: DescField): number | undefined {
  const rules = readOption(registry, field, 'daikon.v1.rules') as FieldRules | undefined
  return rules?.max_items
}

function isRequiredByHandler(registry: FileRegistry, field: DescField): boolean {
  const rules = readOption(registry, field, 'daikon.v1.rules') as FieldRules | undefined
  return rules?.required_by_handler ?? false
}

/** Whether a list must have items. Responses omit such a list if it is empty. */
export function hasMinItems(registry: FileRegistry, field: DescField): boolean {
  const rules = readOption(registry, field, 'daikon.v1.rules') as FieldRules | undefined
  return Boolean(rules?.min_items)
}

function fieldSchema(registry: FileRegistry, field: DescField, reader: Reader): JsonSchema {
  const rules = (readOption(registry, field, 'daikon.v1.rules') ?? {}) as FieldRules
  if (field.fieldKind === 'list') {
    if (rules.lenient_items && reader === 'validation') return listSchema({}, rules)
    const items =
      field.listKind === 'message'
        ? requestSchema(registry, field.message, reader)
        : scalarSchema(field.scalar as number, rules, true, reader)
    return listSchema(items, rules)
  }
  if (isTimestamp(field)) return { type: 'string', format: 'date-time' }
  if (field.fieldKind === 'message') {
    const list = reader === 'documentation' ? listFieldOf(registry, field.message) : undefined
    if (list) return fieldSchema(registry, list, reader)
    const schema = requestSchema(registry, field.message, reader)
    const isParsed = rules.format === 'FORMAT_SOURCE'
    if (!isStruct(field) || isParsed || reader === 'documentation') return schema
    return { ...schema, [jsonObject]: rules.max_json_bytes ?? null }
  }
  if (field.fieldKind !== 'scalar') throw new Error(`${field} has an unsupported field kind`)
  return scalarSchema(field.scalar, rules, isRequired(registry, field), reader)
}

/**
 * Returns the schema of a scalar. Validation checks the content of text only if its length is valid,
 * because formats and patterns could take seconds for a text of megabytes.
 */
function scalarSchema(
  scalar: number,
  rules: FieldRules,
  required: boolean,
  reader: Reader,
): JsonSchema {
  if (reader === 'documentation') return documentedScalar(scalar, rules, required)
  const keywords = { ...scalarSchemas[scalar], ...ruleKeywords(rules, required) }
  const schema: JsonSchema = rules.empty_is_absent ? allowEmpty(keywords) : keywords
  const { format, pattern, ...others } = schema
  if (typeof schema.maxLength !== 'number') return schema
  const content = withoutUndefined({ format, pattern })
  return { ...others, if: { minLength: schema.maxLength + 1 }, else: content }
}

/** Allows an empty string, which is also the default, as in protobuf. */
function allowEmpty({ enum: values, ...schema }: JsonSchema): JsonSchema {
  const allowed = Array.isArray(values) ? { enum: [...values, ''] } : {}
  return { ...schema, ...allowed, minLength: 0, default: '' }
}

/** Returns the schema of a scalar, including what its handler enforces. */
function documentedScalar(scalar: number, rules: FieldRules, required: boolean): JsonSchema {
  const { required_by_handler = false, handler_pattern, handler_excludes } = rules
  const { minLength, ...keywords } = ruleKeywords(rules, required || required_by_handler)
  const isText = scalarSchemas[scalar]?.type === 'string'
  return {
    ...scalarSchemas[scalar],
    ...(isText && minLength !== undefined && { minLength }),
    ...keywords,
    ...(handler_pattern && { pattern: handler_pattern }),
    ...(handler_excludes && { not: { pattern: handler_excludes } }),
  }
}

/**
 * Returns the schema of a list. The items of a list that exceeds `max_items` are not validated,
 * because validating a million of them would take seconds.
 */
function listSchema(items: JsonSchema, { min_items, max_items }: FieldRules): JsonSchema {
  // A missing list is the same as an empty one, as in protobuf. `minItems` reports the problem.
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
