import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '../../database/query.ts'
import type { Timestamp } from '../../database/sql-values.ts'
import type { ConnectionId } from './connection-store.ts'

/** A domain of a connection. */
export type ConnectionDomain = {
  connectionId: string
  workspaceId: string
  domain: string
  /** The secret part of the TXT record. */
  token: string
  /** Null until the domain is verified, and once its proof has been missing for too long. */
  verifiedAt: Timestamp | null
  checkedAt: Timestamp | null
  /** Since when the proof of a verified domain is missing. */
  failingSince: Timestamp | null
}

/** The domains whose addresses connections may assert. */
export class ConnectionDomainStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Returns the domains of connections, in order. */
  list(connectionIds: string[]): Promise<ConnectionDomain[]> {
    const sql = `${selectSql} where d.connection_id = any($1::uuid[]) order by d.domain`
    return query(this.#em, sql, [connectionIds])
  }

  async find(connectionId: string, domain: string): Promise<ConnectionDomain | undefined> {
    const sql = `${selectSql} where d.connection_id = $1 and d.domain = $2`
    const [found] = await query<ConnectionDomain>(this.#em, sql, [connectionId, domain])
    return found
  }

  /** Adds a domain that is not verified. */
  async add({ id, workspaceId }: ConnectionId, domain: string, token: string): Promise<void> {
    await query(this.#em, insertSql, [id, workspaceId, domain, token])
  }

  async remove(connectionId: string, domains: string[]): Promise<void> {
    const sql = 'delete from connection_domains where connection_id = $1 and domain = any($2)'
    await query(this.#em, sql, [connectionId, domains])
  }

  /**
   * Records that the proof of a domain was found. Violates a unique constraint if another connection
   * has the domain.
   */
  async verify(connectionId: string, domain: string, now: Date): Promise<void> {
    await query(this.#em, verifySql, [connectionId, domain, now])
  }

  /** Records that the proof of a verified domain was not found. */
  async noteFailure(connectionId: string, domain: string, now: Date): Promise<void> {
    await query(this.#em, noteFailureSql, [connectionId, domain, now])
  }

  /** Ends the verification of a domain. */
  async unverify(connectionId: string, domain: string): Promise<void> {
    await query(this.#em, unverifySql, [connectionId, domain])
  }

  /** Whether a connection of the workspace has verified the domain. */
  async isVerified(workspaceId: string, domain: string): Promise<boolean> {
    return (await query(this.#em, isVerifiedSql, [workspaceId, domain])).length > 0
  }

  /** Whether the workspace has any verified domain. */
  async hasVerified(workspaceId: string): Promise<boolean> {
    return (await query(this.#em, hasVerifiedSql, [workspaceId])).length > 0
  }

  /** Returns the active connection that has verified a domain, of any workspace. */
  async findConnectionOf(domain: string): Promise<ConnectionId | undefined> {
    const [connection] = await query<ConnectionId>(this.#em, findConnectionSql, [domain])
    return connection
  }

  /**
   * Takes verified domains that are due for a check, which are due again after ten minutes unless the
   * result is recorded. `before` is the time before which a domain must have been checked, and
   * `failingBefore` the one for domains whose proof is missing.
   */
  takeDue(before: Date, failingBefore: Date, limit: number): Promise<ConnectionDomain[]> {
    return query(this.#em, takeDueSql, [before, failingBefore, limit])
  }
}

const columns = `d.connection_id as "connectionId", d.workspace_id as "workspaceId", d.domain, d.token,
  d.verified_at as "verifiedAt", d.checked_at as "checkedAt", d.failing_since as "failingSince"`

const selectSql = `
  select ${columns} from connection_domains d`

/** $1 connection, $2 workspace, $3 domain, $4 token. */
const insertSql = `
  insert into connection_domains (connection_id, workspace_id, domain, token)
  values ($1, $2, $3, $4)`

/** $1 connection, $2 domain, $3 time. */
const verifySql = `
  update connection_domains
  set verified_at = coalesce(verified_at, $3), checked_at = $3, failing_since = null
  where connection_id = $1 and domain = $2`

/** $1 connection, $2 domain, $3 time. */
const noteFailureSql = `
  update connection_domains set checked_at = $3, failing_since = coalesce(failing_since, $3)
  where connection_id = $1 and domain = $2 and verified_at is not null`

/** $1 connection, $2 domain. */
const unverifySql = `
  update connection_domains set verified_at = null, failing_since = null
  where connection_id = $1 and domain = $2`

/** $1 workspace, $2 domain. */
const isVerifiedSql = `
  select from connection_domains
  where workspace_id = $1 and domain = $2 and verified_at is not null`

/** $1 workspace. */
const hasVerifiedSql = `
  select from connection_domains where workspace_id = $1 and verified_at is not null limit 1`

/** $1 domain. */
const findConnectionSql = `
  select c.id, c.workspace_id as "workspaceId"
  from connection_domains d join connections c on c.id = d.connection_id
  where d.domain = $1 and d.verified_at is not null and c.is_active
    and not exists (select from deleted_workspaces w where w.id = c.workspace_id)`

/** $1 time for domains with a proof, $2 time for those whose proof is missing, $3 limit. */
const takeDueSql = `
  with due as (
    select d.connection_id, d.domain,
      case when d.failing_since is null then $1::timestamptz else $2 end as before
    from connection_domains d
    where d.verified_at is not null
      and d.checked_at < case when d.failing_since is null then $1::timestamptz else $2 end
    order by d.checked_at limit $3 for no key update skip locked
  )
  update connection_domains d set checked_at = due.before + interval '10 minutes' from due
  where d.connection_id = due.connection_id and d.domain = due.domain
  returning ${columns}`
