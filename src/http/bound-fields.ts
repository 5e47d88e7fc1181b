import type { Request, Response } from 'express'
import type { BoundField, CookieDeclaration } from '../rpc/bound-fields.ts'
import { readCookie } from '../rpc/request-headers.ts'

type Message = Record<string, unknown>

/**
 * Reads bound fields from headers and cookies. Absent fields are set to undefined, so that the body
 * cannot set them.
 */
export function readBoundFields(request: Request, fields: BoundField[], message: Message): Message {
  const values: Message = {}
  for (const { field, header, cookie } of fields) {
    if (header) values[field] = request.get(header)
    else values[field] = cookie && readCookie(request.headers.cookie, cookieName(cookie, message))
  }
  return values
}

/** Writes bound fields to headers and cookies. An empty field deletes its cookie. */
export function writeBoundFields(
  response: Response,
  fields: BoundField[],
  message: object,
  secure: boolean,
): void {
  const values = message as Message
  for (const { field, header, cookie } of fields) {
    const value = values[field]
    if (typeof value !== 'string') continue
    if (header) response.set(header, value)
    if (!cookie) continue
    const { same_site, path = '/', max_age_field } = cookie
    const seconds = Number(max_age_field ? values[max_age_field] : cookie.max_age) || 0
    response.cookie(cookieName(cookie, values), value, {
      path,
      secure,
      httpOnly: true,
      encode: String,
      sameSite: same_site === 'SAME_SITE_STRICT' ? 'strict' : 'lax',
      maxAge: value === '' ? 0 : seconds * 1000,
    })
  }
}

/** Replaces `{field}` with the value of that field, as in `login_{state}`. */
function cookieName({ name }: CookieDeclaration, message: Message): string {
  return name.replace(/\{(\w+)\}/, (_, field) => String(message[field] ?? ''))
}
