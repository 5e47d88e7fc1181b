import type { DescField, DescMessage, FileRegistry } from '@bufbuild/protobuf'
import { fieldOption } from './descriptors.ts'

/** The part of JSON Schema that the field rules come to. */
export type JsonSchema = { [keyword: string]: unknown }

type RulesJson = {
  format?: keyof typeof longest
  min_length?: number
  max_length?: number
  pattern?: string
  one_of?: string[]
  reserved?: string[]
  minimum?: number
  maximum?: number
  min_items?: number
  max_items?: number
  default?: string
}

/** The most characters of each format, unless a field says otherwise. */
const longest = {
  FORMAT_UUID: undefined,
  FORMAT_NAME: 200,
  FORMAT_TITLE: 200,
  FORMAT_TEXT: 2000,
  FORMAT_EMAIL: 254,
  FORMAT_PAGE_TOKEN: 100,
}

/** The formats that an empty text has not, not even where the field is optional. */
const lines = new Set(['FORMAT_UUID', 'FORMAT_NAME', 'FORMAT_TITLE', 'FORMAT_EMAIL'])

/** The scalar types of protobuf that messages use. */
export const scalarTypes: Record<number, JsonSchema> = {
  5: { type: 'integer' }, // int32
  8: { type: 'boolean' },
  9: { type: 'string', format: 'unicode' },
  13: { type: 'integer', minimum: 0 }, // uint32
}

/** A request message as JSON Schema: its field rules, read once, for both doors and the docs. */
export function requestSchema(registry: FileRegistry, message: DescMessage): JsonSchema {
  const properties = Object.fromEntries(
    message.fields.map((field) => [field.name, fieldSchema(registry, field)]),
  )
  const required = message.fields.filter(isRequired).map((field) => field.name)
  return { type: 'object', additionalProperties: false, properties, required }
}

/** A single field must be present unless declared `optional`. */
function isRequired(field: DescField): boolean {
  return field.fieldKind !== 'list' && !field.proto.proto3Optional
}

function fieldSchema(registry: FileRegistry, field: DescField): JsonSchema {
  const rules = (fieldOption(registry, field, 'daikon.v1.rules') ?? {}) as RulesJson
  if (field.fieldKind === 'list') {
    const items =
      field.listKind === 'message'
        ? requestSchema(registry, field.message)
        : { ...scalarTypes[field.scalar as number], ...ruleKeywords(rules, true) }
    return listSchema(items, rules)
  }
  if (field.fieldKind === 'message') return requestSchema(registry, field.message)
  if (field.fieldKind !== 'scalar') throw new Error(`${field} has a kind requests do not use`)
  return { ...scalarTypes[field.scalar], ...ruleKeywords(rules, isRequired(field)) }
}

/** A list over its bound is one problem: its items are not looked at. */
function listSchema(items: JsonSchema, { min_items, max_items }: RulesJson): JsonSchema {
  // A missing list is an empty one, as in protobuf; `min_items` then says what is wrong with it.
  const bounds = { type: 'array', default: [], ...(min_items && { minItems: min_items }) }
  if (max_items === undefined) return { ...bounds, items }
  return { ...bounds, maxItems: max_items, if: { minItems: max_items + 1 }, else: { items } }
}

function ruleKeywords(rules: RulesJson, required: boolean): JsonSchema {
  const { format, min_length, max_length, pattern, one_of, reserved, minimum, maximum } = rules
  const text = rules.minimum === undefined && rules.maximum === undefined
  return defined({
    minLength: min_length ?? (lines.has(format ?? '') || (text && required) ? 1 : undefined),
    maxLength: max_length ?? (format && longest[format]),
    format: format?.replace('FORMAT_', '').toLowerCase(),
    pattern,
    enum: one_of,
    not: reserved && { enum: reserved },
    minimum,
    maximum,
    default: rules.default === undefined ? undefined : JSON.parse(rules.default),
  })
}

function defined(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined))
}
