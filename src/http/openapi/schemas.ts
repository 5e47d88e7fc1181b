import { isDeepStrictEqual } from 'node:util'
import type { DescField, DescMessage, FileRegistry } from '@bufbuild/protobuf'
import { readBoundFields } from '../../rpc/bound-fields.ts'
import { listFieldOf } from '../../rpc/list-messages.ts'
import type { Profile } from '../../rpc/method.ts'
import { hasMinItems, isEmptyAbsent, type JsonSchema, scalarSchemas } from '../../rpc/schema.ts'
import { protoComment } from './proto-comment.ts'

/** Adds a schema under the first name that no other schema has, and returns its `$ref`. */
export type DefineSchema = (names: string[], schema: JsonSchema) => JsonSchema

/** Adds the schema of a message of responses, and returns its `$ref`. */
export type ReferToMessage = (message: DescMessage, profile?: Profile) => JsonSchema

/** Collects the JSON Schemas of messages by name. */
export function createSchemas(registry: FileRegistry) {
  const schemas: Record<string, JsonSchema> = {}
  return { schemas, define, refer }

  function define(names: string[], schema: JsonSchema): JsonSchema {
    const name = names.find((name) => isDeepStrictEqual(schemas[name] ?? schema, schema))
    if (!name) throw new Error(`${names} name other schemas`)
    schemas[name] = schema
    return { $ref: `#/components/schemas/${name}` }
  }

  function refer(message: DescMessage, profile: Profile = 'default'): JsonSchema {
    const { name } = message
    if (!schemas[name]) {
      // Set before the fields are visited, so that a recursive message terminates.
      schemas[name] = {}
      schemas[name] = messageSchema(message, profile)
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  function messageSchema(message: DescMessage, profile: Profile): JsonSchema {
    const description = protoComment(message)
    const boundNames = readBoundFields(registry, message).map(({ field }) => field)
    const fields = message.fields.filter(({ name }) => !boundNames.includes(name))
    return {
      ...(description && { description }),
      type: 'object',
      properties: Object.fromEntries(
        fields.map((field) => [field.name, fieldSchema(field, profile)]),
      ),
      required: fields.filter((field) => !isOmittable(field, profile)).map((field) => field.name),
    }
  }

  /** Whether the field is absent in JSON if it has no value. Otherwise, it is null. */
  function isOmittable(field: DescField, profile: Profile): boolean {
    if (hasMinItems(registry, field)) return true
    return profile !== 'default' && (field.proto.proto3Optional || isEmptyAbsent(registry, field))
  }

  function fieldSchema(field: DescField, profile: Profile): JsonSchema {
    const description = protoComment(field)
    const value = valueSchema(field, profile)
    const schema = field.fieldKind === 'list' ? { type: 'array', items: value } : value
    const isNullable =
      field.proto.proto3Optional ||
      isEmptyAbsent(registry, field) ||
      field.message?.typeName === 'google.protobuf.Value' ||
      (field.message?.typeName === 'google.protobuf.Timestamp' && field.fieldKind === 'message')
    const nullable =
      isNullable && !isOmittable(field, profile) ? { anyOf: [schema, { type: 'null' }] } : schema
    return { ...nullable, ...(description && { description }) }
  }

  function valueSchema(field: DescField, profile: Profile): JsonSchema {
    if (field.message?.typeName === 'google.protobuf.Timestamp')
      return { type: 'string', format: 'date-time' }
    if (field.message?.typeName === 'google.protobuf.Struct')
      return { type: 'object', additionalProperties: true }
    if (field.message?.typeName === 'google.protobuf.ListValue') return { type: 'array', items: {} }
    if (field.message?.typeName.startsWith('google.protobuf.')) return {}
    const list = listFieldOf(registry, field.message)
    if (list) return { type: 'array', items: valueSchema(list, profile) }
    if (field.message) return refer(field.message, profile)
    return { type: scalarSchemas[Number(field.scalar)]?.type ?? 'string' }
  }
}
