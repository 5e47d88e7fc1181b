import type { Credentials } from '../../core/credential-kind.ts'
import { tokenMissing } from '../user-errors.ts'

/** Whether a call has an Authorization header, whatever its scheme. */
export function hasAuthorization({ authorization }: Credentials): boolean {
  return authorization !== undefined
}

/** Returns the token in the Authorization header. Throws `unauthenticated` if there is none. */
export function requireBearer({ authorization }: Credentials): string {
  const [scheme] = /^Bearer +/i.exec(authorization ?? '') ?? []
  if (scheme && authorization) return authorization.slice(scheme.length)
  throw tokenMissing()
}
