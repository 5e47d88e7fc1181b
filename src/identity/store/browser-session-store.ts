import type { EntityManager } from '@mikro-orm/postgresql'
import { BrowserSession } from '../../database/entities/sign-in.ts'
import { query } from '../../database/query.ts'
import type { Authentication } from '../authentication.ts'
import { hashSecret } from '../secret.ts'
import { acrOf } from '../session-provider.ts'
import { fromColumns } from './authentication-columns.ts'

/** A browser session to create. */
export type NewBrowserSession = Authentication & {
  id: string
  /** The value of the cookie. The database stores only its hash. */
  secret: string
  userId: string
  provider: string
  /** Whether the sign-in created no personal workspace, because its client app is bound. */
  lacksPersonalWorkspace: boolean
  /** The hash of what the browser is remembered by, which its sessions have in common. */
  browserHash: string
  createdAt: Date
  expiresAt: Date
}

/** A browser session whose user is active. */
export type OpenBrowserSession = Omit<
  NewBrowserSession,
  'browserHash' | 'createdAt' | 'expiresAt'
> & {
  email: string
}

/** The browsers that are signed in to daikon itself. */
export class BrowserSessionStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Creates a browser session and deletes the oldest ones of a user who has too many. */
  async create(session: NewBrowserSession, maxPerUser: number): Promise<void> {
    await this.#em.insert(BrowserSession, {
      id: session.id,
      secret_hash: hashSecret(session.secret),
      user_id: session.userId,
      provider: session.provider,
      authenticated_at: session.authenticatedAt,
      is_time_reported: session.isTimeReported,
      stepped_up_at: session.isStepUp ? session.authenticatedAt : null,
      amr: session.amr,
      lacks_personal_workspace: session.lacksPersonalWorkspace,
      browser_hash: session.browserHash,
      created_at: session.createdAt,
      expires_at: session.expiresAt,
    })
    await query(this.#em, deleteBeyondSql, [session.userId, maxPerUser])
  }

  /**
   * Gives a session a new cookie, a new sign-in of the same user and more time. Returns false if it has
   * ended.
   */
  async renew({ id, ...session }: NewBrowserSession): Promise<boolean> {
    const changes = {
      secret_hash: hashSecret(session.secret),
      provider: session.provider,
      authenticated_at: session.authenticatedAt,
      is_time_reported: session.isTimeReported,
      stepped_up_at: session.isStepUp ? session.authenticatedAt : null,
      amr: session.amr,
      lacks_personal_workspace: session.lacksPersonalWorkspace,
      browser_hash: session.browserHash,
      created_at: session.createdAt,
      expires_at: session.expiresAt,
    }
    const where = { id, user_id: session.userId }
    return (await this.#em.nativeUpdate(BrowserSession, where, changes)) > 0
  }

  /** Extends a session. Returns false if it has ended. */
  async extend(id: string, expiresAt: Date): Promise<boolean> {
    return (await this.#em.nativeUpdate(BrowserSession, { id }, { expires_at: expiresAt })) > 0
  }

  /** Returns the session of a cookie, unless it has expired or its user is inactive. */
  async findOpen(secret: string, now: Date): Promise<OpenBrowserSession | undefined> {
    type Row = Omit<OpenBrowserSession, 'authenticatedAt' | 'secret' | 'acr'> & { time: string }
    const [row] = await query<Row>(this.#em, findOpenSql, [hashSecret(secret), now])
    if (!row) return undefined
    const { time, ...session } = row
    const acr = acrOf(session.provider)
    return { ...session, secret, acr, authenticatedAt: new Date(time) }
  }

  /** Lists the sessions of a browser, which has several after sign-ins that ended at the same time. */
  listOfBrowser(
    browserHash: string,
    now: Date,
  ): Promise<{ id: string; userId: string; lacksPersonalWorkspace: boolean }[]> {
    return query(this.#em, listOfBrowserSql, [browserHash, now])
  }

  async exists(id: string): Promise<boolean> {
    return (await this.#em.count(BrowserSession, { id })) > 0
  }

  /** Deletes a session with its authorization codes. Returns false if it does not exist. */
  async delete(id: string): Promise<boolean> {
    return (await this.#em.nativeDelete(BrowserSession, { id })) > 0
  }

  /** Deletes the browser sessions by a provider with their authorization codes. */
  async endOfProvider(provider: string): Promise<void> {
    await this.#em.nativeDelete(BrowserSession, { provider })
  }

  /** Returns the workspace that a client app last used in a browser session. */
  async findLastWorkspace(id: string, clientId: string): Promise<string | undefined> {
    const values = [id, clientId]
    const [last] = await query<{ workspaceId: string }>(this.#em, findLastWorkspaceSql, values)
    return last?.workspaceId
  }

  async findAuthentication(id: string): Promise<Authentication | undefined> {
    const session = await this.#em.findOne(BrowserSession, { id })
    return session ? fromColumns(session) : undefined
  }

  /**
   * Deletes browser sessions of a user with their authorization codes. `only` restricts deletion to
   * one provider, to the browser session of one session, or to all but that one.
   */
  async endOfUser(
    userId: string,
    only: {
      provider?: string
      sessionId?: string
      exceptSessionId?: string | undefined
    } = {},
  ): Promise<void> {
    const values = [userId, only.provider, only.sessionId, only.exceptSessionId]
    await query(this.#em, endOfUserSql, values)
  }
}

/** $1 user ID, $2 number. Deletes all browser sessions but the newest $2. */
const deleteBeyondSql = `
  delete from browser_sessions where id in (
    select id from browser_sessions where user_id = $1 order by created_at desc, id desc offset $2)`

/** $1 hash of the cookie, $2 current time. */
const findOpenSql = `
  select s.id, s.user_id as "userId", u.email, s.provider, s.amr,
    s.authenticated_at as time, s.is_time_reported as "isTimeReported",
    s.stepped_up_at is not distinct from s.authenticated_at as "isStepUp",
    s.lacks_personal_workspace as "lacksPersonalWorkspace"
  from browser_sessions s join users u on u.id = s.user_id
  where s.secret_hash = $1 and s.expires_at > $2 and u.is_active`

/** $1 hash of the browser, $2 current time. */
const listOfBrowserSql = `
  select id, user_id as "userId", lacks_personal_workspace as "lacksPersonalWorkspace"
  from browser_sessions where browser_hash = $1 and expires_at > $2 order by id`

/** $1 browser session ID, $2 client ID. */
const findLastWorkspaceSql = `
  select workspace_id as "workspaceId" from refresh_families
  where browser_session_id = $1 and client_id = $2 order by last_used_at desc limit 1`

/** $1 user ID; each may be null: $2 provider, $3 the only session, $4 the session to keep. */
const endOfUserSql = `
  delete from browser_sessions s where s.user_id = $1
    and ($2::text is null or s.provider = $2)
    and ($3::uuid is null or s.id = (select browser_session_id from refresh_families where id = $3))
    and ($4::uuid is null or s.id is distinct from
      (select browser_session_id from refresh_families where id = $4))`
