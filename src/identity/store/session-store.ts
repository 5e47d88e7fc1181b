import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { newId } from '../../core/new-id.ts'
import { RefreshFamily, RefreshToken } from '../../database/entities/sign-in.ts'
import { query } from '../../database/query.ts'
import { fromRow, type SessionRow, toRow, type UserSession } from './session-row.ts'

/** A session to create. */
export type NewSession = Omit<UserSession, 'id' | 'createdAt' | 'lastUsedAt' | 'expiresAt'>

/** The owner of the sessions to end: a user, a client app or a browser session. */
export type SessionOwner =
  | { userId: string; workspaceId?: string; provider?: string }
  | { clientId: string }
  | { loginClientId: string }
  | { browserSessionId: string }
  | { resourceId: string }
  | { grantIds: string[] }
  | { provider: string }

/** A refresh token and the access token that is issued with it. */
export type TokenPair = {
  sessionId: string
  refreshTokenId: string
  accessTokenId: string
  accessExpiresAt: Date
  /** The scope of the access token if it is narrower than the session's. */
  accessScope: string | undefined
}

/** The scope of an access token, and the client app of its session. */
export type TokenScope = {
  scope: string | null
  clientId: string | null
  /** The URL of a client that nobody registered. */
  clientUrl: string | null
  /** The only workspace whose members can sign in to the client app. */
  boundTo: string | null
}

/** The session of a refresh token. */
export type RefreshTokenSession = {
  sessionId: string
  clientId: string | null
  /** The URL of a client that nobody registered. */
  clientUrl: string | null
  scope: string | null
  /** The API that the tokens of the session are limited to, if any. */
  resourceId: string | null
  isConsumed: boolean
}

/** The sessions of users, with their refresh tokens. */
export class SessionStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /**
   * Creates a session, and ends the oldest sessions of a user who has too many. Those for an API and those
   * of each consent are counted separately, so that they end no others. `lifetime` is in seconds; refreshing does not extend
   * the session. The caller must have locked the user.
   */
  async create(
    session: NewSession,
    now: Date,
    { lifetime, maxPerUser }: { lifetime: number; maxPerUser: number },
  ): Promise<UserSession> {
    const excess = await query<{ id: string }>(this.#em, findBeyondSql, [
      session.userId,
      now,
      maxPerUser - 1,
      session.resourceId !== undefined,
      session.grantId,
    ])
    await this.revoke(
      excess.map(({ id }) => id),
      now,
    )
    const created = {
      ...session,
      id: newId(),
      createdAt: now,
      lastUsedAt: now,
      expiresAt: new Date(now.getTime() + lifetime * 1000),
    }
    await this.#em.insert(RefreshFamily, toRow(created))
    return created
  }

  /** Returns the unexpired sessions of a user, by `provider` if it is set, newest first. */
  async listUnexpired(userId: string, now: Date, provider?: string): Promise<UserSession[]> {
    const by = provider === undefined ? {} : { provider }
    const condition = { user_id: userId, expires_at: { $gt: now }, ...by }
    const rows = await this.#em.find(RefreshFamily, condition, { orderBy: { id: 'desc' } })
    return rows.map(fromRow)
  }

  /** Whether a user has a session, by `provider` if it is set. */
  async exists(id: string, userId: string, provider?: string): Promise<boolean> {
    const by = provider === undefined ? {} : { provider }
    return (await this.#em.count(RefreshFamily, { id, user_id: userId, ...by })) > 0
  }

  /** Returns the id of the session that an access token was issued for. */
  async findIdOfAccessToken(accessTokenId: string): Promise<string | undefined> {
    const token = await this.#em.findOne(RefreshToken, { access_token_id: accessTokenId })
    return token?.family_id
  }

  /** Returns the session of an access token, with the provider by which it began. */
  async findByAccessToken(
    accessTokenId: string,
  ): Promise<{ id: string; provider: string } | undefined> {
    const values = [accessTokenId]
    const [session] = await query<{ id: string; provider: string }>(
      this.#em,
      findByAccessTokenSql,
      values,
    )
    return session
  }

  /** Returns the scope of an access token, or undefined if it has no session. */
  async findScopeOfAccessToken(accessTokenId: string): Promise<TokenScope | undefined> {
    const [scope] = await query<TokenScope>(this.#em, findScopeSql, [accessTokenId])
    return scope
  }

  async findByRefreshToken(tokenId: string): Promise<RefreshTokenSession | undefined> {
    const values = [tokenId]
    const [session] = await query<RefreshTokenSession>(this.#em, findByRefreshTokenSql, values)
    return session
  }

  /** Locks the session of a refresh token until the end of the transaction, and returns it. */
  async lockByRefreshToken(
    refreshTokenId: string,
  ): Promise<{ session: UserSession; isConsumed: boolean } | undefined> {
    const token = await this.#em.findOne(RefreshToken, { token_id: refreshTokenId })
    if (!token) return undefined
    // Lock the session before its token, in the same order as a revocation, to prevent deadlocks.
    const lockMode = LockMode.PESSIMISTIC_WRITE
    const row = await this.#em.findOne(RefreshFamily, { id: token.family_id }, { lockMode })
    if (!row) return undefined
    return { session: fromRow(row), isConsumed: Boolean(token.consumed_at) }
  }

  /** Consumes a refresh token. Returns false if it was consumed before. */
  async consumeRefreshToken(id: string, now: Date): Promise<boolean> {
    const unused = { token_id: id, consumed_at: null }
    return (await this.#em.nativeUpdate(RefreshToken, unused, { consumed_at: now })) > 0
  }

  /** Records that the tokens of a session were refreshed, for the same or another workspace. */
  async recordRefresh(id: string, workspaceId: string, now: Date): Promise<void> {
    const changes = { last_used_at: now, workspace_id: workspaceId }
    await this.#em.nativeUpdate(RefreshFamily, { id }, changes)
  }

  async addTokens(pair: TokenPair): Promise<void> {
    await this.#em.insert(RefreshToken, {
      token_id: pair.refreshTokenId,
      family_id: pair.sessionId,
      access_token_id: pair.accessTokenId,
      access_expires_at: pair.accessExpiresAt,
      access_scope: pair.accessScope ?? null,
    })
  }

  /** Adds the unexpired access tokens of sessions to the denylist. */
  async denyAccessTokens(ids: string[], now: Date): Promise<void> {
    await query(this.#em, denyAccessTokensSql, [ids, now])
  }

  /**
   * Ends the sessions of an owner, except the one with the id `exceptId`. For a user, they can be
   * limited to one workspace or one provider. Returns the ids of the ended sessions.
   */
  async end(owner: SessionOwner, now: Date, exceptId?: string): Promise<string[]> {
    const rows = await this.#em.find(RefreshFamily, toCondition(owner))
    const ids = rows.map(({ id }) => id).filter((id) => id !== exceptId)
    await this.revoke(ids, now)
    return ids
  }

  /**
   * Returns the sessions in a workspace that did not begin by `provider`, of users with an address in
   * one of the domains, or of those who are no owners.
   */
  async findOtherwise(other: {
    workspaceId: string
    provider: string
    domains: string[]
    sparesOwners: boolean
  }): Promise<string[]> {
    const { workspaceId, provider, domains, sparesOwners } = other
    const values = [workspaceId, provider, domains, sparesOwners]
    return (await query<{ id: string }>(this.#em, findOtherwiseSql, values)).map(({ id }) => id)
  }

  /**
   * Deletes sessions with their refresh tokens, and denies their access tokens until they expire.
   * Queues logout tokens for client apps that request them. Returns the number of sessions that
   * still existed.
   */
  async revoke(ids: string[], now: Date): Promise<number> {
    if (ids.length === 0) return 0
    // Wait for concurrent refreshes, whose access tokens are then denied below. Later refreshes
    // fail.
    await query(this.#em, lockSql, [ids])
    await this.denyAccessTokens(ids, now)
    const expiresAt = new Date(now.getTime() + logoutSeconds * 1000)
    await query(this.#em, queueLogoutSql, [ids, now, expiresAt])
    return this.#em.nativeDelete(RefreshFamily, { id: { $in: ids } })
  }
}

/**
 * Seconds after the end of a session during which the delivery of its logout token is attempted.
 */
const logoutSeconds = 3600

/**
 * $1 user ID, $2 current time, $3 number, $4 whether to count the sessions for APIs, or the others, $5 the
 * consent whose sessions to count, or null for those without one. Returns all unexpired ones but the
 * newest $3.
 */
const findBeyondSql = `
  select id from refresh_families
  where user_id = $1 and expires_at > $2 and (resource_id is not null) = $4
    and grant_id is not distinct from $5::uuid
  order by created_at desc, id desc offset $3`

/** $1 workspace, $2 provider, $3 domains, $4 whether to spare owners. */
const findOtherwiseSql = `
  select f.id from refresh_families f join users u on u.id = f.user_id
  left join live_members m on m.user_id = u.id and m.workspace_id = $1
  where f.workspace_id = $1 and f.provider <> $2 and split_part(u.email, '@', 2) = any($3::text[])
    and not ($4 and m.role = 'owner')`

/** $1 ID of an access token. */
const findByAccessTokenSql = `
  select f.id, f.provider from refresh_tokens t join refresh_families f on f.id = t.family_id
  where t.access_token_id = $1`

/** $1 ID of an access token. */
const findScopeSql = `
  select coalesce(t.access_scope, f.scope) as scope, f.client_id as "clientId",
    a.metadata_uri as "clientUrl", a.workspace_id as "boundTo"
  from refresh_tokens t join refresh_families f on f.id = t.family_id
  left join client_apps a on a.id = f.client_id
  where t.access_token_id = $1`

/** $1 ID of a refresh token. */
const findByRefreshTokenSql = `
  select f.id as "sessionId", f.client_id as "clientId", a.metadata_uri as "clientUrl", f.scope,
    f.resource_id as "resourceId", t.consumed_at is not null as "isConsumed"
  from refresh_tokens t join refresh_families f on f.id = t.family_id
  left join client_apps a on a.id = f.client_id
  where t.token_id = $1`

/** $1 session IDs. The fixed order prevents deadlocks. */
const lockSql = 'select from refresh_families where id = any($1::uuid[]) order by id for update'

/** $1 session IDs, $2 current time. */
const denyAccessTokensSql = `
  insert into denied_tokens (token_id, expires_at)
  select access_token_id, access_expires_at from refresh_tokens
  where family_id = any($1::uuid[]) and access_expires_at > $2
  on conflict do nothing`

/**
 * $1 session IDs, $2 current time, $3 expiry. Queues a logout token for each session that was
 * started by an authorization request of a client app with a `backchannel_logout_uri`.
 */
const queueLogoutSql = `
  insert into logout_notifications (client_id, user_id, session_id, next_attempt_at, expires_at)
  select f.client_id, f.user_id, f.id, $2, $3
  from refresh_families f join client_apps a on a.id = f.client_id
  where f.id = any($1::uuid[]) and f.scope is not null and a.backchannel_logout_uri is not null`

const ownerColumns = {
  userId: 'user_id',
  workspaceId: 'workspace_id',
  provider: 'provider',
  clientId: 'client_id',
  loginClientId: 'login_client_id',
  browserSessionId: 'browser_session_id',
  resourceId: 'resource_id',
  grantIds: 'grant_id',
} as const

function toCondition(owner: SessionOwner): Partial<SessionRow> {
  const fields = Object.entries(owner) as [keyof typeof ownerColumns, string | string[]][]
  return Object.fromEntries(fields.map(([name, value]) => [ownerColumns[name], value]))
}
