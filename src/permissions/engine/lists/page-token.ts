import { hash } from 'node:crypto'
import { canonicalJson } from '../../../core/canonical-json.ts'
import { invalidArgument } from '../../../core/errors.ts'

/** The lowest possible ID. */
export const firstId = '00000000-0000-0000-0000-000000000000'

type Context = Record<string, unknown> | undefined

const idBytes = 16
const digestBytes = 8

/**
 * Returns the page token for an ID. The token remains valid if the resource is deleted. The page
 * after it must be requested with the same context.
 */
export function writePageToken(id: string, context?: Context): string {
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex')
  return Buffer.concat([bytes, digestOf(context)]).toString('base64url')
}

/** Returns the ID in a page token as hexadecimal digits or, without a token, the first ID. */
export function readPageToken(token: string | undefined): string {
  return token ? Buffer.from(token, 'base64url').subarray(0, idBytes).toString('hex') : firstId
}

/**
 * Requires that a page token is from a response to a request with the same context.
 *
 * @throws ServiceError `invalid_argument`
 */
export function requireOfContext(token: string | undefined, context: Context): void {
  if (!token) return
  if (Buffer.from(token, 'base64url').subarray(idBytes).equals(digestOf(context))) return
  const message = 'must be a page token from a previous response to a request with the same context'
  throw invalidArgument({ field: 'page_token', message })
}

/** Returns whether a text is a page token: the 16 bytes of an ID. */
export function isPageToken(text: string): boolean {
  return Buffer.from(text, 'base64url').length === idBytes
}

/** Returns the digest of a context. It is empty if there is none, so that tokens stay short. */
function digestOf(context: Context): Buffer {
  if (!context || Object.keys(context).length === 0) return Buffer.alloc(0)
  return hash('sha256', canonicalJson(context), 'buffer').subarray(0, digestBytes)
}
