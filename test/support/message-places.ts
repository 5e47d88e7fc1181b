import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'
import { isStruct, isTimestamp } from '../../src/rpc/schema.ts'

type Message = Record<string, any>

/** A place of a message for a value, and the field that a violation there names. */
export type Place = {
  field: string
  kind: 'text' | 'timestamp'
  /** Puts a value there, with one item in each list on the way. */
  put: (message: Message, value: string) => void
}

/** Returns every place of a message that can contain text or a time. */
export function placesOf({ fields }: DescMessage): Place[] {
  return fields.flatMap((field) => placesIn(field))
}

function placesIn(field: DescField): Place[] {
  const { name } = field
  const isList = field.fieldKind === 'list'
  const path = isList ? `${name}[0]` : name
  const set = (message: Message, value: unknown) => {
    message[name] = isList ? [value] : value
  }
  if (isStruct(field)) {
    const place = { field: path, kind: 'text' as const }
    return [
      { ...place, put: (message, text) => set(message, { list: [{ member: text }] }) },
      { ...place, put: (message, text) => set(message, { [text]: true }) },
    ]
  }
  if (isTimestamp(field)) return [{ field: path, kind: 'timestamp', put: set }]
  if (field.message)
    return placesOf(field.message).map(({ field, kind, put }) => ({
      field: `${path}.${field}`,
      kind,
      put: (message, value) => {
        const inner = { ...(isList ? message[name]?.[0] : message[name]) }
        put(inner, value)
        set(message, inner)
      },
    }))
  const isText = 'scalar' in field && field.scalar === ScalarType.STRING
  return isText ? [{ field: path, kind: 'text', put: set }] : []
}
