import type { Role } from '../core/roles.ts'

/** The audience of every token of ours. */
export const audience = 'daikon'

/** What a token says beyond its life, by its `type` (specification 2). */
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

/** A token's claims with its life, in seconds. */
export type Token<Type extends TokenType> = Claims[Type] & { type: Type; iat: number; exp: number }

/** Which claims of each type are ids: what the statements behind them rely on. */
const ids: Record<TokenType, string[]> = {
  access: ['sub', 'jti', 'wid'],
  refresh: ['sub', 'jti', 'wid'],
  admin_access: ['sub', 'jti'],
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The payload as a token of this type; undefined if it is none. */
export function readClaims<Type extends TokenType>(
  type: Type,
  payload: Record<string, unknown>,
): Token<Type> | undefined {
  if (payload.type !== type || typeof payload.exp !== 'number') return undefined
  const wellFormed = ids[type].every((name) => uuid.test(String(payload[name])))
  return wellFormed ? (payload as unknown as Token<Type>) : undefined
}
