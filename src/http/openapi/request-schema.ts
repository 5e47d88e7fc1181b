import type { DescField, DescMessage, FileRegistry } from '@bufbuild/protobuf'
import { listFieldOf } from '../../rpc/list-messages.ts'
import type { DeclaredOperation } from '../../rpc/operation.ts'
import { type JsonSchema, requestSchema } from '../../rpc/schema.ts'
import type { ExampleMaker } from './examples.ts'
import { protoComment } from './proto-comment.ts'
import type { DefineSchema } from './schemas.ts'

type ObjectSchema = {
  additionalProperties?: false
  properties: Record<string, JsonSchema>
  required: string[]
  allOf?: JsonSchema[]
}

/** Control characters and bidirectional controls, which names must not contain. */
const controls = '\\x00-\\x1f\\x7f-\\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069'

/**
 * The published patterns of formats that are specific to this server, without flags, `\p` or
 * lookahead, so that they compile in every language. No such pattern can describe well-formed
 * Unicode.
 */
const formatPatterns: Record<string, string | undefined> = {
  name: `^[^${controls}]*$`,
  title: `^[^${controls}]*[^\\s${controls}][^${controls}]*$`,
  text: '^[^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]*$',
  page_token: '^([A-Za-z0-9_-]{21}[AQgw]|[A-Za-z0-9_-]{32})?$',
  external_id: `^[^${controls}]*$`,
  // The field already has a pattern.
  slug: undefined,
  source: undefined,
  storable: '^[^\\x00]*$',
}

const uuidSchema = { pattern: '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$' }

/** The formats that an external ID must not have. */
const reservedExternalIds = [
  uuidSchema,
  {
    pattern:
      "^\\s*[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?([.][A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*\\s*$",
  },
]

/** UTC, or an offset of less than 16 hours. */
const timestampPattern = 'T[0-9:.]{8,18}(Z|[+-](0[0-9]|1[0-5]):[0-5][0-9])$'

/** Where requests carry a message, and whether unknown fields are ignored there. */
type Place = 'parameters' | 'body' | 'open body'

type Publication = { registry: FileRegistry; place: Place; define: DefineSchema }

/**
 * Returns the JSON Schema of a request as published: with the comments of its fields, and without
 * keywords that concern only the server's own validation. In a body, optional fields and lists may
 * be null. `define` adds the schemas of the messages of fields; by default, these are inline.
 */
export function publishedSchema(
  registry: FileRegistry,
  message: DescMessage,
  place: Place,
  define: DefineSchema = (_names, schema) => schema,
): ObjectSchema {
  const schema = requestSchema(registry, message, 'documentation')
  return describe(schema, message, { registry, place, define }) as ObjectSchema
}

function describe(
  schema: JsonSchema,
  message: DescMessage | undefined,
  publication: Publication,
): JsonSchema {
  const { place, define } = publication
  // The condition only avoids validating the items of a list that is too long.
  const { if: _condition, else: unconditional, ...published } = schema
  Object.assign(published, unconditional)
  if (place !== 'body' && !published.additionalProperties) delete published.additionalProperties
  const format = String(published.format)
  if (Object.hasOwn(formatPatterns, format)) {
    delete published.format
    const pattern = formatPatterns[format]
    if (pattern) published.pattern ??= pattern
  }
  if (format === 'external_id') published.not = { anyOf: reservedExternalIds }
  if (format === 'slug') published.not = { anyOf: [published.not, uuidSchema] }
  if (published.format === 'date-time') published.pattern = timestampPattern
  // The default, an empty list, would violate the minimum.
  if (published.minItems) delete published.default
  if (published.items) {
    const items = describe(published.items as JsonSchema, message, publication)
    published.items = message ? define(namesOf(message), items) : items
  }
  if (published.properties) {
    const properties = Object.entries(published.properties as Record<string, JsonSchema>)
    published.properties = Object.fromEntries(
      properties.map(([name, property]) => {
        const field = message?.fields.find((field) => field.name === name)
        const description = field && protoComment(field)
        const described = describeField(property, field, publication)
        const isOptional =
          field?.proto.proto3Optional || (field?.fieldKind === 'list' && !property.minItems)
        const isListed = ((published.required ?? []) as string[]).includes(name)
        const isNullable = place !== 'parameters' && isOptional && !isListed
        const value = isNullable ? allowNull(described) : described
        return [name, { ...value, ...(description && { description }) }]
      }),
    )
    const isOptionalList = (name: string) =>
      message?.fields.some((field) => field.name === name && field.proto.proto3Optional)
    const lists = properties
      .filter(([name, property]) => property.minItems && !isOptionalList(name))
      .map(([name]) => name)
    published.required = [...((published.required ?? []) as string[]), ...lists]
  }
  return published
}

/** Code generators name inline objects themselves, which may result in the same name twice. */
function describeField(
  schema: JsonSchema,
  field: DescField | undefined,
  publication: Publication,
): JsonSchema {
  const of = listFieldOf(publication.registry, field?.message) ?? field
  const message = of?.message?.typeName.startsWith('google.') ? undefined : of?.message
  const described = describe(schema, message, publication)
  if (!message || of?.fieldKind !== 'message') return described
  return publication.define(namesOf(message), described)
}

/** Returns the names of a schema of a message. The schema of responses may have the first. */
function namesOf({ name }: DescMessage): string[] {
  return [name, `${name}Input`]
}

function allowNull(schema: JsonSchema): JsonSchema {
  if (schema.$ref) return { anyOf: [schema, { type: 'null' }] }
  const { type, enum: values, ...others } = schema
  return {
    ...others,
    type: [type, 'null'],
    ...(Array.isArray(values) && { enum: [...values, null] }),
  }
}

/** Describes a request body: JSON, a form or, for methods with `upload`, also the file itself. */
export function describeBody(
  { service, policy: { upload, form }, input }: DeclaredOperation,
  schema: JsonSchema & { required: string[] },
  { define, makeExample }: { define: DefineSchema; makeExample: ExampleMaker },
): object {
  const example = makeExample(schema, '', input.name) as Record<string, unknown>
  const mediaType = form ? 'application/x-www-form-urlencoded' : 'application/json'
  // Routes that take different fields from the path have different bodies.
  const names = [input.name, `${service.replace('Service', '')}${input.name}`]
  const description = upload && `UTF-8 text of at most ${upload.maxBytes} bytes`
  const content = {
    // First, because openapi-generator reads a form only there.
    ...(upload && {
      'multipart/form-data': {
        schema: define([`${input.name}Form`], {
          type: 'object',
          properties: { [upload.part]: { type: 'string', format: 'binary', description } },
          required: [upload.part],
        }),
        encoding: { [upload.part]: { contentType: upload.mediaType } },
      },
    }),
    [mediaType]: { schema: define(names, schema), example },
    ...(upload && {
      [upload.mediaType]: {
        schema: { type: 'string', minLength: 1, description },
        example: example[upload.field],
      },
    }),
  }
  return { required: schema.required.length > 0 || schema.allOf !== undefined, content }
}
