import { hash } from 'node:crypto'
import type { PresentedDelegation } from '../core/request-context.ts'
import type { Token } from './claims.ts'
import { accountClientId } from './store/client-store.ts'
import type { Tokens } from './tokens.ts'

export type TokenKind = 'access' | 'admin_access' | 'management'

/** The claims that calls need. Others, such as the groups, can be large and are not remembered. */
export type UserClaims = Pick<Token<'access'>, 'sub' | 'jti' | 'wid' | 'exp' | 'email'> & {
  /** The first characters of the API key that serves as the token, whose ID is `jti`. */
  apiKeyPrefix?: string
  /** The connection that the session of the token began through, if any. */
  connectionId?: string
  /** The service whose API the token is limited to, if any. */
  forService?: string
  /** The delegation by which an agent acts for the user, if one does. */
  delegation?: PresentedDelegation
  /**
   * For tokens of the account page: when the user signed in, in seconds since the epoch, or `unknown` if
   * neither the provider reported it nor the page asked for it.
   */
  accountSignIn?: number | 'unknown'
}
export type AdminClaims = Pick<Token<'admin_access'>, 'sub' | 'jti' | 'admin' | 'exp'>
export type ManagementClaims = Pick<Token<'management'>, 'sub' | 'jti' | 'scope' | 'exp'>

/** The claims of a token whose signature and expiry are valid, by its kind. */
export type VerifiedToken = {
  user?: UserClaims | undefined
  admin?: AdminClaims | undefined
  managementApp?: ManagementClaims | undefined
  /** What a credential of another feature states. */
  other?: unknown
}

/** The claims of each kind of token. */
type ClaimsOf = {
  access: VerifiedToken['user']
  admin_access: VerifiedToken['admin']
  management: VerifiedToken['managementApp']
}

/**
 * Remembers verified tokens until they expire, because checking a signature costs more than the rest
 * of a permission check. Whether a token has been revoked is checked on every call.
 */
export type TokenMemory = {
  /** Returns a token that is remembered under its digest. */
  find(digest: string, now: Date): VerifiedToken | undefined
  /**
   * Returns the claims of a token that is remembered, or verifies and remembers it. Rejects with
   * `unauthenticated`.
   */
  findOrVerify<Type extends keyof ClaimsOf>(
    type: Type,
    token: string,
    digest: string,
    now: Date,
  ): ClaimsOf[Type] | Promise<ClaimsOf[Type]>
  /** Remembers a token until a time in milliseconds. */
  remember(digest: string, token: VerifiedToken, expiresAt: number, now: Date): void
}

/**
 * The estimated memory of an entry in bytes: its digest, three IDs, an e-mail address, objects and
 * map entry.
 */
const entryBytes = 1024

/** Milliseconds between sweeps of expired entries. */
const sweepInterval = 60_000

/** Returns the digest under which a token is remembered. */
export function digestToken(type: TokenKind | (string & {}), token: string): string {
  // The separator is unambiguous, because a token cannot contain a line feed.
  return hash('sha256', `${type}\n${token}`, 'base64')
}

/** Creates a memory of at most about `maxBytes`. It never contains the tokens themselves. */
export function createTokenMemory(tokens: Tokens, maxBytes: number): TokenMemory {
  const memory = new Map<string, VerifiedToken & { expiresAt: number }>()
  let verificationKeys = tokens.verificationKeys()
  const maxEntries = Math.max(Math.floor(maxBytes / entryBytes), 1)
  let nextSweep = 0

  function remember(digest: string, token: VerifiedToken, expiresAt: number, date: Date) {
    const now = date.getTime()
    if (now >= nextSweep) {
      nextSweep = now + sweepInterval
      for (const [other, { expiresAt }] of memory) if (expiresAt <= now) memory.delete(other)
    }
    if (memory.size >= maxEntries) {
      const [oldest] = memory.keys()
      if (oldest) memory.delete(oldest)
    }
    memory.set(digest, { ...token, expiresAt })
  }

  function find(digest: string, now: Date): VerifiedToken | undefined {
    if (verificationKeys !== tokens.verificationKeys()) {
      // Tokens signed by a removed key must no longer be accepted.
      memory.clear()
      verificationKeys = tokens.verificationKeys()
    }
    const found = memory.get(digest)
    return found && found.expiresAt > now.getTime() ? found : undefined
  }

  async function verify<Type extends keyof ClaimsOf>(
    type: Type,
    token: string,
    digest: string,
    now: Date,
  ): Promise<ClaimsOf[Type]> {
    const keys = verificationKeys
    const claims = await tokens.verify<TokenKind>(type, token)
    const verified = toVerifiedToken(claims)
    // The keys may have been replaced while the signature was verified.
    if (keys === tokens.verificationKeys()) remember(digest, verified, claims.exp * 1000, now)
    return claimsOf(type, verified)
  }

  return {
    remember,
    find,
    findOrVerify(type, token, digest, now) {
      const found = find(digest, now)
      return found ? claimsOf(type, found) : verify(type, token, digest, now)
    },
  }
}

function claimsOf<Type extends keyof ClaimsOf>(
  type: Type,
  { user, admin, managementApp }: VerifiedToken,
): ClaimsOf[Type] {
  return { access: user, admin_access: admin, management: managementApp }[type]
}

function toVerifiedToken(claims: Token<TokenKind>): VerifiedToken {
  const { sub, jti, exp } = claims
  switch (claims.type) {
    case 'access': {
      const { wid, email, connection_id: connectionId } = claims
      const accountSignIn = readAccountSignIn(claims)
      const optional = {
        ...(connectionId && { connectionId }),
        ...(accountSignIn && { accountSignIn }),
      }
      return { user: { sub, jti, exp, wid, email, ...optional } }
    }
    case 'admin_access':
      return { admin: { sub, jti, exp, admin: claims.admin } }
    case 'management':
      return { managementApp: { sub, jti, exp, ...(claims.scope && { scope: claims.scope }) } }
  }
}

function readAccountSignIn({
  client_id,
  auth_time,
  auth_time_unconfirmed,
  step_up,
}: Token<'access'>): number | 'unknown' | undefined {
  if (client_id !== accountClientId) return undefined
  if (auth_time === undefined || (auth_time_unconfirmed && !step_up)) return 'unknown'
  return auth_time
}
