import type { Role } from '../core/roles.ts'

/** The audience (`aud`) of every token. */
export const audience = 'daikon'

/** The claims of each token `type`, besides the registered ones that every token has. */
export type Claims = {
  access: {
    sub: string
    jti: string
    email: string
    name: string
    wid: string
    wslug: string
    wrole: Role
    groups: string[]
  }
  refresh: { sub: string; jti: string; wid: string }
  admin_access: { sub: string; jti: string; email: string; name: string; admin: true }
}

export type TokenType = keyof Claims

/** The claims of a token with its times, in seconds since the epoch. */
export type Token<Type extends TokenType> = Claims[Type] & { type: Type; iat: number; exp: number }

/** The claims that are UUIDs. SQL relies on their format. */
const ids: Record<TokenType, string[]> = {
  access: ['sub', 'jti', 'wid'],
  refresh: ['sub', 'jti', 'wid'],
  admin_access: ['sub', 'jti'],
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Returns the payload as a token of this type, or undefined if it is not one. */
export function readClaims<Type extends TokenType>(
  type: Type,
  payload: Record<string, unknown>,
): Token<Type> | undefined {
  if (payload.type !== type || typeof payload.exp !== 'number') return undefined
  const isWellFormed = ids[type].every((name) => uuid.test(String(payload[name])))
  return isWellFormed ? (payload as unknown as Token<Type>) : undefined
}
