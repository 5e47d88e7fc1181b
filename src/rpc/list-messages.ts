import type { DescField, DescMessage, FileRegistry } from '@bufbuild/protobuf'
import { readOption } from './descriptors.ts'

/** A field that is a list of scalars or of messages. */
export type ListField = DescField & { fieldKind: 'list' }

/**
 * Returns the only field of a message whose JSON is a list (policy.proto, `list`), or undefined. Such a
 * message distinguishes an absent list from an empty one, which proto3 does not.
 *
 * @throws an error if the message has other fields
 */
export function listFieldOf(
  registry: FileRegistry,
  message: DescMessage | undefined,
): ListField | undefined {
  if (!message || message.typeName.startsWith('google.protobuf.')) return undefined
  const rules = readOption(registry, message, 'daikon.v1.message_rules') as
    | { list?: boolean }
    | undefined
  if (!rules?.list) return undefined
  const [field, ...others] = message.fields
  if (field?.fieldKind !== 'list' || others.length > 0)
    throw new Error(`${message.typeName} must have one field, which is repeated`)
  return field
}

/** Returns a path such as `actions.values[0]` as it is in JSON: `actions[0]`. */
export type ToJsonPath = (path: string) => string

/** Creates the function that converts the paths of fields in a message. */
export function createToJsonPath(registry: FileRegistry, message: DescMessage): ToJsonPath {
  const patterns = findListPaths(registry, message, '^')
  return (path) => patterns.reduce((converted, pattern) => converted.replace(pattern, '$1'), path)
}

/** Returns the paths of lists, longest first, so that the places of those in them still match. */
function findListPaths(registry: FileRegistry, message: DescMessage, prefix: string): RegExp[] {
  return message.fields.flatMap((field) => {
    if (field.message?.file.proto.package !== 'daikon.v1') return []
    const index = field.fieldKind === 'list' ? '\\[\\d+\\]' : ''
    const path = `${prefix}${field.name}${index}`
    const list = listFieldOf(registry, field.message)
    const nested = findListPaths(registry, field.message, `${path}\\.`)
    return list ? [...nested, new RegExp(`(${path})\\.${list.name}(?=\\[|$)`)] : nested
  })
}
