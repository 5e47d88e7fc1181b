import type { Request, Response } from 'express'
import type { BoundField, CookieDeclaration } from '../rpc/bound-fields.ts'
import type { DeclaredOperation } from '../rpc/operation.ts'
import { readCookie } from '../rpc/request-headers.ts'

type Message = Record<string, unknown>

/**
 * Reads bound fields from headers, cookies, repeated parameters and the method. Absent fields are set to
 * undefined, so that the body cannot set them. If `secure` is set, cookie names have a prefix.
 */
export function readBoundFields(
  request: Request,
  { bindings, input }: DeclaredOperation,
  message: Message,
  secure: boolean,
): Message {
  const values: Message = {}
  for (const { field, header, cookie, repeated_parameters, form } of bindings.request) {
    if (form) values[field] = request.method === 'POST'
    else if (header) values[field] = readHeader(request, header)
    else if (cookie)
      values[field] = readCookie(request.headers.cookie, cookieName(cookie, message, secure))
    else if (repeated_parameters) {
      // Several values are a list, which would be invalid.
      const repeated = input.fields.filter(({ name }) => Array.isArray(message[name]))
      for (const { name } of repeated) values[name] = undefined
      values[field] = repeated.map(({ name }) => name)
    }
  }
  return values
}

/**
 * Returns the value of a header. Several values are a list, which is invalid, unless Node keeps only
 * the first.
 */
function readHeader(
  { headers, headersDistinct }: Request,
  name: string,
): string | string[] | undefined {
  const [first, ...others] = headersDistinct[name] ?? []
  return others.length === 0 || headers[name] === first ? first : headersDistinct[name]
}

/** Writes bound fields to headers, lists as JSON, and cookies. An empty field deletes its cookie. */
export function writeBoundFields(
  response: Response,
  fields: BoundField[],
  message: object,
  secure: boolean,
): void {
  const values = message as Message
  for (const { field, header, cookie } of fields) {
    const value = values[field]
    if (header && Array.isArray(value)) {
      if (value.length > 0) response.set(header, JSON.stringify(value))
    } else if (header && value !== undefined) response.set(header, String(value))
    if (!cookie || typeof value !== 'string') continue
    const { same_site, max_age_field } = cookie
    const seconds = Number(max_age_field ? values[max_age_field] : cookie.max_age) || 0
    const name = cookieName(cookie, values, secure)
    const attributes = {
      path: (!hasPrefix(cookie, secure) && cookie.path) || '/',
      secure,
      httpOnly: true,
      encode: String,
      sameSite: same_site === 'SAME_SITE_STRICT' ? 'strict' : 'lax',
    } as const
    response.cookie(name, value, { ...attributes, maxAge: value === '' ? 0 : seconds * 1000 })
    if (value === '' || !cookie.max_count) continue
    const sent = response.req.headers.cookie
    for (const oldest of findOldestCookies(sent, cookie, { name, value }, secure))
      response.cookie(oldest, '', { ...attributes, maxAge: 0 })
  }
}

/**
 * The maximum number of characters of cookies of one name with `{field}`. Node.js accepts 16 KiB of
 * headers, and answers longer ones with an empty 431.
 */
const maxCharacters = 12_000

/**
 * Returns the names of the cookies that a new one exceeds the limits with. Browsers send the oldest cookie
 * of a path first (RFC 6265, 5.4).
 */
function findOldestCookies(
  header = '',
  cookie: CookieDeclaration,
  added: { name: string; value: string },
  secure: boolean,
): string[] {
  const prefix = cookieName(cookie, {}, secure)
  const sent = header.split(/; */).flatMap((pair) => {
    const name = pair.slice(0, pair.indexOf('='))
    const isSibling = name.startsWith(prefix) && name !== added.name && /^[\w-]+$/.test(name)
    return isSibling ? [{ name, length: pair.length }] : []
  })
  let count = sent.length + 1
  let length = sent.reduce(
    (sum, { length }) => sum + length,
    added.name.length + added.value.length,
  )
  return sent.flatMap((oldest) => {
    if (count <= (cookie.max_count ?? 0) && length <= maxCharacters) return []
    count -= 1
    length -= oldest.length
    return [oldest.name]
  })
}

/**
 * Returns the name of a cookie. Replaces `{field}` with the value of that field, as in
 * `login_{state}`.
 */
function cookieName(cookie: CookieDeclaration, message: Message, secure: boolean): string {
  const name = cookie.name.replace(/\{(\w+)\}/, (_, field) => String(message[field] ?? ''))
  return hasPrefix(cookie, secure) ? `__Host-${name}` : name
}

/**
 * Whether the name has the prefix `__Host-`. Browsers accept such a cookie only from this host over
 * https, so a page on another port or a sibling domain cannot replace it (RFC 6265bis, 4.1.3.2).
 */
function hasPrefix({ fixed_name }: CookieDeclaration, secure: boolean): boolean {
  return secure && !fixed_name
}
