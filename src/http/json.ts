import type { DescField, DescMessage } from '@bufbuild/protobuf'

/** A message as JSON: the fields it declares and no others; an absent optional one is null. */
export type JsonWriter = (message: object) => Record<string, unknown>

/** What ts-proto hands over as JSON has it already. */
const plain = ['google.protobuf.Timestamp', 'google.protobuf.Struct']

/** The writer of a message, made once from its descriptor, without the fields named. */
export function createJsonWriter(message: DescMessage, without: string[] = []): JsonWriter {
  const declared = message.fields.filter(({ name }) => !without.includes(name))
  const fields = declared.map((field) => [field.name, createFieldWriter(field)] as const)
  return (value) => {
    const json: Record<string, unknown> = {}
    for (const [name, write] of fields) json[name] = write((value as Record<string, unknown>)[name])
    return json
  }
}

function createFieldWriter(field: DescField): (value: unknown) => unknown {
  if (!field.message || plain.includes(field.message.typeName)) return (value) => value ?? null
  const write = createJsonWriter(field.message)
  if (field.fieldKind === 'list') return (value) => (value as object[]).map(write)
  return (value) => (value ? write(value) : null)
}
