import type { SubjectName } from './arguments.ts'
import { InvalidTokenError } from './errors.ts'
import { withAdvice } from './server-errors.ts'

/** The decoded parts of a JSON Web Token. They are not verified. */
export type DecodedToken = {
  header: Record<string, unknown>
  claims: Record<string, unknown>
  signed: string
  signature: string
}

/** Decodes a token. Returns undefined if it is not a JSON Web Token (RFC 7519). */
export function decodeToken(token: string): DecodedToken | undefined {
  const parts = typeof token === 'string' ? token.split('.') : []
  const [header, claims, signature] = parts
  if (parts.length !== 3 || !header || !claims || !signature) return undefined
  try {
    const decoded = {
      header: JSON.parse(new TextDecoder().decode(decodeBase64Url(header))),
      claims: JSON.parse(new TextDecoder().decode(decodeBase64Url(claims))),
      signed: `${header}.${claims}`,
      signature,
    }
    return isObject(decoded.header) && isObject(decoded.claims) ? decoded : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns the error for a denied subject whose token is not valid, or undefined.
 *
 * @param context the context of the response
 */
export function deniedTokenError(
  subject: SubjectName,
  context: Record<string, unknown> | undefined,
): InvalidTokenError | undefined {
  return reportedTokenError(context) ?? impossibleTokenError(subject)
}

/** Returns the error that the server reports for a token, or undefined. */
export function reportedTokenError(
  context: Record<string, unknown> | undefined,
): InvalidTokenError | undefined {
  const error = context?.subject_error as { reason?: unknown; message?: unknown } | undefined
  if (typeof error?.reason !== 'string') return undefined
  return new InvalidTokenError(error.reason, withAdvice(error.reason, String(error.message)))
}

/**
 * Returns the error for a denied subject whose token cannot be valid, or undefined. A server older
 * than this client does not report it.
 */
export function impossibleTokenError(subject: SubjectName): InvalidTokenError | undefined {
  if (subject.type !== 'access_token') return undefined
  const token = decodeToken(subject.id)
  if (!token) return tokenInvalid('it is not a JSON Web Token')
  const { exp } = token.claims
  return typeof exp === 'number' && exp * 1000 <= Date.now() ? tokenExpired() : undefined
}

export function tokenExpired(): InvalidTokenError {
  const message = withAdvice('TOKEN_EXPIRED', 'The access token has expired')
  return new InvalidTokenError('TOKEN_EXPIRED', message)
}

export function tokenInvalid(cause: string): InvalidTokenError {
  const message = withAdvice('TOKEN_INVALID', `The access token is not valid: ${cause}`)
  return new InvalidTokenError('TOKEN_INVALID', message)
}

/** Decodes base64url (RFC 4648, section 5). Throws if the text is not valid. */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = new Uint8Array(binary.length)
  // `Uint8Array.from` takes ten times as long.
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index)
  return bytes
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
