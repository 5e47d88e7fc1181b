import type { DescMessage, FileRegistry } from '@bufbuild/protobuf'
import { fieldOption } from './descriptors.ts'

/** How a cookie is declared (policy.proto). */
export type CookieDeclaration = {
  name: string
  same_site?: 'SAME_SITE_LAX' | 'SAME_SITE_STRICT'
  path?: string
  max_age?: number
}

/** A field that travels in a header or a cookie, never in path, query or body. */
export type BoundField = { field: string; header?: string; cookie?: CookieDeclaration }

/** The travelling fields of a message. */
export function readBoundFields(registry: FileRegistry, message: DescMessage): BoundField[] {
  return message.fields.flatMap((field) => {
    const binding = fieldOption(registry, field, 'daikon.v1.binding')
    return binding ? [{ field: field.name, ...binding }] : []
  })
}
