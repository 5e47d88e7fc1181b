import type { Role } from '../workspaces/roles.ts'

/** The audience of every token of ours. */
export const audience = 'daikon'

/** The claims of an access token (specification 2); times in seconds. */
export type AccessClaims = {
  sub: string
  jti: string
  email: string
  name: string
  wid: string
  wslug: string
  wrole: Role
  groups: string[]
  type: 'access'
  iat: number
  exp: number
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The payload as access claims, as far as the pipeline relies on them; undefined if it is none. */
export function readAccessClaims(payload: Record<string, unknown>): AccessClaims | undefined {
  const { sub, jti, wid, type, exp } = payload
  if (type !== 'access' || typeof exp !== 'number') return undefined
  if (![sub, jti, wid].every((id) => typeof id === 'string' && uuid.test(id))) return undefined
  return payload as AccessClaims
}
