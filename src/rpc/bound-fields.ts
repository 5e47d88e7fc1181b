import type { DescMessage, FileRegistry } from '@bufbuild/protobuf'
import { fieldOption } from './descriptors.ts'

/** A cookie declared with the `binding` option (policy.proto). */
export type CookieDeclaration = {
  name: string
  same_site?: 'SAME_SITE_LAX' | 'SAME_SITE_STRICT'
  path?: string
  /** In seconds. */
  max_age?: number
  /** The response field that contains the seconds, as an alternative to `max_age`. */
  max_age_field?: string
}

/** A message field that REST carries in a header or a cookie instead of the path, query or body. */
export type BoundField = { field: string; header?: string; cookie?: CookieDeclaration }

/** Returns the fields of a message that have a `binding` option. */
export function readBoundFields(registry: FileRegistry, message: DescMessage): BoundField[] {
  return message.fields.flatMap((field) => {
    const binding = fieldOption(registry, field, 'daikon.v1.binding')
    return binding ? [{ field: field.name, ...binding }] : []
  })
}

/** A field that, if null in a JSON body, sets another field to true. */
export type NullSetter = { field: string; sets: string }

/** Returns the fields of a message that have the rule `null_sets` (policy.proto). */
export function readNullSetters(registry: FileRegistry, message: DescMessage): NullSetter[] {
  return message.fields.flatMap((field) => {
    const { null_sets: sets } = (fieldOption(registry, field, 'daikon.v1.rules') ?? {}) as {
      null_sets?: string
    }
    return sets ? [{ field: field.name, sets }] : []
  })
}
