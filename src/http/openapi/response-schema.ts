import type { DescField, DescMessage, FileRegistry } from '@bufbuild/protobuf'
import { readBoundFields } from '../../rpc/bound-fields.ts'
import { type JsonSchema, scalarTypes } from '../../rpc/schema.ts'
import { protoComment } from './proto-comment.ts'

/** Response messages as JSON Schema, each once under its name; `refer` answers a reference. */
export function createResponseSchemas(registry: FileRegistry) {
  const schemas: Record<string, JsonSchema> = {}
  return { schemas, refer }

  function refer(message: DescMessage): JsonSchema {
    const { name } = message
    if (!schemas[name]) {
      // Known before its fields are walked, so that a message may hold its like.
      schemas[name] = {}
      schemas[name] = messageSchema(message)
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  function messageSchema(message: DescMessage): JsonSchema {
    const description = protoComment(message)
    const beside = readBoundFields(registry, message).map(({ field }) => field)
    const fields = message.fields.filter(({ name }) => !beside.includes(name))
    return {
      ...(description && { description }),
      type: 'object',
      properties: Object.fromEntries(fields.map((own) => [own.name, fieldSchema(own)])),
      required: fields.map((field) => field.name),
    }
  }

  function fieldSchema(field: DescField): JsonSchema {
    const description = protoComment(field)
    const one = valueSchema(field)
    const schema = field.fieldKind === 'list' ? { type: 'array', items: one } : one
    const absent = field.proto.proto3Optional || (field.fieldKind === 'message' && !schema.$ref)
    const shown = absent ? { anyOf: [schema, { type: 'null' }] } : schema
    return { ...shown, ...(description && { description }) }
  }

  function valueSchema(field: DescField): JsonSchema {
    if (field.message?.typeName === 'google.protobuf.Timestamp')
      return { type: 'string', format: 'date-time' }
    // Anything else of Google's stands for JSON as it is.
    if (field.message?.typeName.startsWith('google.protobuf.')) return {}
    if (field.message) return refer(field.message)
    return { type: scalarTypes[Number(field.scalar)]?.type ?? 'string' }
  }
}
