import type { InferEntity } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { AuthorizationCode } from '../../database/entities/sign-in.ts'
import { query } from '../../database/query.ts'
import type { Authentication } from '../authentication.ts'
import { createSecret, hashSecret } from '../secret.ts'
import { fromColumns, toColumns } from './authentication-columns.ts'

/** The lifetime of a code, in seconds. */
const codeSeconds = 300

/** The sign-in that a code is issued for. */
export type CodeGrant = {
  userId: string
  provider: string
  authentication: Authentication
  /** Absent if the client app may omit PKCE and did. */
  codeChallenge: string | undefined
  /** The confidential client app of a sign-in that began at `/auth/login`. */
  clientId?: string | undefined
  /** The client app of a sign-in that began at `/auth/login`, whatever its type. */
  loginClientId?: string | undefined
  /** Present if the sign-in began at `/oauth/authorize`. */
  authorization?: {
    clientId: string
    redirectUri: string
    scope: string
    nonce: string | undefined
    workspaceId: string
    browserSessionId: string
    /** The API that the tokens are limited to, if any. */
    resourceId: string | undefined
    /** The consent of the user, if the client app requires one. */
    grantId: string | undefined
  }
}

/** An unexpired code. See `CodeGrant` for the fields of the sign-in. */
export type StoredCode = {
  hash: string
  userId: string
  provider: string
  /** Unknown for a code of an earlier version. */
  authentication: Authentication | undefined
  codeChallenge: string | undefined
  isConsumed: boolean
  clientId: string | undefined
  loginClientId: string | undefined
  redirectUri: string | undefined
  scope: string | undefined
  nonce: string | undefined
  workspaceId: string | undefined
  browserSessionId: string | undefined
  resourceId: string | undefined
  grantId: string | undefined
}

/** The secrets of a sign-in that can be used once: its state and its authorization code. */
export class CodeStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Consumes the state of a sign-in. Returns false if it was consumed before. */
  async consumeState(stateHash: string, expiresAt: Date): Promise<boolean> {
    return (await query(this.#em, insertStateSql, [stateHash, expiresAt])).length > 0
  }

  /** Issues a code to a signed-in user. It can be exchanged once, with the PKCE verifier. */
  async issue(grant: CodeGrant, now: Date): Promise<string> {
    const code = createSecret()
    const { authorization } = grant
    await this.#em.insert(AuthorizationCode, {
      code_hash: hashSecret(code),
      user_id: grant.userId,
      provider: grant.provider,
      ...toColumns(grant.authentication),
      code_challenge: grant.codeChallenge ?? null,
      expires_at: new Date(now.getTime() + codeSeconds * 1000),
      client_id: authorization?.clientId ?? grant.clientId ?? null,
      login_client_id: grant.loginClientId ?? null,
      redirect_uri: authorization?.redirectUri ?? null,
      scope: authorization?.scope ?? null,
      nonce: authorization?.nonce ?? null,
      workspace_id: authorization?.workspaceId ?? null,
      browser_session_id: authorization?.browserSessionId ?? null,
      resource_id: authorization?.resourceId ?? null,
      grant_id: authorization?.grantId ?? null,
    })
    return code
  }

  /** Returns a code that has not expired, whether or not it has been consumed. */
  async find(code: string, now: Date): Promise<StoredCode | undefined> {
    // The identity map would hide later changes of the row from `findSessionId`.
    const options = { disableIdentityMap: true }
    const where = { code_hash: hashSecret(code) }
    const found = await this.#em.findOne(AuthorizationCode, where, options)
    return found && found.expires_at > now ? toStoredCode(found) : undefined
  }

  /** Consumes a code. Returns false if it has expired or was consumed before. */
  async consume(hash: string, now: Date): Promise<boolean> {
    const unused = { code_hash: hash, consumed_at: null, expires_at: { $gt: now } }
    return (await this.#em.nativeUpdate(AuthorizationCode, unused, { consumed_at: now })) > 0
  }

  /** Consumes all unused codes of a user, or only those of sign-ins by one provider. */
  async consumeAll(userId: string, now: Date, provider?: string): Promise<void> {
    const unused = { user_id: userId, consumed_at: null, ...(provider && { provider }) }
    await this.#em.nativeUpdate(AuthorizationCode, unused, { consumed_at: now })
  }

  /** Consumes the unused codes of sign-ins by a provider. */
  async consumeOfProvider(provider: string, now: Date): Promise<void> {
    await this.#em.nativeUpdate(
      AuthorizationCode,
      { provider, consumed_at: null },
      { consumed_at: now },
    )
  }

  /**
   * Stores the session that a code was exchanged for, and keeps the code until the session expires,
   * so that even a late second use revokes the session.
   */
  async linkSession(hash: string, session: { id: string; expiresAt: Date }): Promise<void> {
    const link = { family_id: session.id, expires_at: session.expiresAt }
    await this.#em.nativeUpdate(AuthorizationCode, { code_hash: hash }, link)
  }

  /**
   * Returns the browser session in which a session began. The code that was exchanged for the session
   * names it even after the session was revoked.
   */
  async findBrowserSessionId(sessionId: string, userId: string): Promise<string | undefined> {
    const where = { family_id: sessionId, user_id: userId }
    const code = await this.#em.findOne(AuthorizationCode, where)
    return code?.browser_session_id ?? undefined
  }

  /** Returns the id of the session that a code was exchanged for. */
  async findSessionId(hash: string): Promise<string | undefined> {
    const code = await this.#em.findOne(AuthorizationCode, { code_hash: hash })
    return code?.family_id ?? undefined
  }
}

/** $1 hash of the state, $2 expiry. */
const insertStateSql = `
  insert into used_states (state_hash, expires_at) values ($1, $2) on conflict do nothing
  returning state_hash`

function toStoredCode(code: InferEntity<typeof AuthorizationCode>): StoredCode {
  return {
    hash: code.code_hash,
    userId: code.user_id,
    provider: code.provider,
    authentication: fromColumns(code),
    codeChallenge: code.code_challenge ?? undefined,
    isConsumed: code.consumed_at !== null && code.consumed_at !== undefined,
    clientId: code.client_id ?? undefined,
    loginClientId: code.login_client_id ?? undefined,
    redirectUri: code.redirect_uri ?? undefined,
    scope: code.scope ?? undefined,
    nonce: code.nonce ?? undefined,
    workspaceId: code.workspace_id ?? undefined,
    browserSessionId: code.browser_session_id ?? undefined,
    resourceId: code.resource_id ?? undefined,
    grantId: code.grant_id ?? undefined,
  }
}
