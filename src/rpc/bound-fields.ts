import type { DescField, DescMessage, FileRegistry } from '@bufbuild/protobuf'
import { readOption } from './descriptors.ts'

/** A cookie declared with the `binding` option (policy.proto). */
export type CookieDeclaration = {
  name: string
  same_site?: 'SAME_SITE_LAX' | 'SAME_SITE_STRICT'
  path?: string
  /** In seconds. */
  max_age?: number
  /** The response field that contains the seconds, as an alternative to `max_age`. */
  max_age_field?: string
  /** Whether the cookie keeps its name and path if cookies are secure. */
  fixed_name?: boolean
  /** The maximum number of cookies that a browser has of a name with `{field}`. */
  max_count?: number
}

/**
 * A message field that REST reads from a header, a cookie, the names of repeated parameters, the
 * query of a request with a body or the method of the request.
 */
export type BoundField = {
  field: string
  header?: string
  cookie?: CookieDeclaration
  repeated_parameters?: boolean
  /** Whether the field is a query parameter, although the method has a body. */
  query?: boolean
  /** Whether the field is true if the request is a form. */
  form?: boolean
}

/** Returns the fields of a message that have a `binding` option. */
export function readBoundFields(registry: FileRegistry, message: DescMessage): BoundField[] {
  return message.fields.flatMap((field) => {
    const binding = readBinding(registry, field)
    return binding ? [{ field: field.name, ...binding }] : []
  })
}

/** Returns the `binding` option of a field. */
export function readBinding(registry: FileRegistry, field: DescField) {
  const binding = readOption(registry, field, 'daikon.v1.binding')
  return binding as Omit<BoundField, 'field'> | undefined
}

/** A field that, if null in a JSON body, sets another field to true. */
export type NullSetter = { field: string; sets: string }

/** Returns the fields of a message that have the rule `null_sets` (policy.proto). */
export function readNullSetters(registry: FileRegistry, message: DescMessage): NullSetter[] {
  return message.fields.flatMap((field) => {
    const { null_sets: sets } = (readOption(registry, field, 'daikon.v1.rules') ?? {}) as {
      null_sets?: string
    }
    return sets ? [{ field: field.name, sets }] : []
  })
}
