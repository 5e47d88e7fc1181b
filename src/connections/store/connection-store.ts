import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '../../database/query.ts'
import type { Timestamp } from '../../database/sql-values.ts'
import type { ConnectionMapping, DefaultRole } from '../mapping.ts'

/** Identifies a connection of a workspace. */
export type ConnectionId = { workspaceId: string; id: string }

/** The settings of a connection, without its secret and domains. */
export type ConnectionSettings = {
  name: string
  issuer: string
  clientId: string
  scopes: string[]
  defaultRole: DefaultRole
  isActive: boolean
  enforced: boolean
  breakGlass: boolean
  mapping: ConnectionMapping
}

export type StoredConnection = ConnectionId &
  ConnectionSettings & {
    /** The encrypted client secret. */
    secret: string
    lastSignInAt: Timestamp | null
    createdAt: Timestamp
  }

/** The OpenID Connect providers of workspaces. */
export class ConnectionStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  async insert(
    id: ConnectionId,
    settings: ConnectionSettings,
    secret: string,
    createdBy: string | undefined,
  ): Promise<void> {
    const values = [...toValues(id, settings), secret, createdBy]
    await query(this.#em, insertSql, values)
  }

  /** Returns the connections of a workspace, oldest first. */
  list(workspaceId: string): Promise<StoredConnection[]> {
    return query(this.#em, `${selectSql} where c.workspace_id = $1 order by c.id`, [workspaceId])
  }

  async count(workspaceId: string): Promise<number> {
    const sql = 'select count(*)::int as count from connections where workspace_id = $1'
    const [row] = await query<{ count: number }>(this.#em, sql, [workspaceId])
    return row?.count ?? 0
  }

  async find({ workspaceId, id }: ConnectionId): Promise<StoredConnection | undefined> {
    const sql = `${selectSql} where c.workspace_id = $1 and c.id = $2`
    const [connection] = await query<StoredConnection>(this.#em, sql, [workspaceId, id])
    return connection
  }

  /** Locks a connection until the end of the transaction and returns it. */
  async lock({ workspaceId, id }: ConnectionId): Promise<StoredConnection | undefined> {
    const sql = `${selectSql} where c.workspace_id = $1 and c.id = $2 for no key update`
    const [connection] = await query<StoredConnection>(this.#em, sql, [workspaceId, id])
    return connection
  }

  /** Returns an active connection of a workspace that is not deleted. */
  async findActive(id: string): Promise<StoredConnection | undefined> {
    const [connection] = await query<StoredConnection>(this.#em, findActiveSql, [id])
    return connection
  }

  /**
   * Returns the only workspace in which a user's sessions through a connection may be used, and locks
   * the connection until the end of the transaction. Undefined if the connection is not active or has not
   * verified the domain of the user's address.
   */
  async findWorkspaceOfSession(id: string, userId: string): Promise<string | undefined> {
    const [found] = await query<{ workspaceId: string }>(this.#em, workspaceOfSessionSql, [
      id,
      userId,
    ])
    return found?.workspaceId
  }

  /** Whether any workspace has an active connection with a verified domain. */
  async existsAny(): Promise<boolean> {
    return (await query(this.#em, existsAnySql)).length > 0
  }

  /** Replaces the settings and the encrypted secret. */
  async update(id: ConnectionId, settings: ConnectionSettings, secret: string): Promise<void> {
    await query(this.#em, updateSql, [...toValues(id, settings), secret])
  }

  async delete({ workspaceId, id }: ConnectionId): Promise<void> {
    const sql = 'delete from connections where workspace_id = $1 and id = $2'
    await query(this.#em, sql, [workspaceId, id])
  }

  /** Records a sign-in to the minute, or with null that there has been none since the provider changed. */
  async recordSignIn(id: string, now: Date | null): Promise<void> {
    await query(this.#em, recordSignInSql, [id, now])
  }

  /** Locks and returns the secrets of all connections. */
  lockAllSecrets(): Promise<{ id: string; secret: string }[]> {
    const sql = `select id, client_secret as secret from connections
      order by id for no key update`
    return query(this.#em, sql)
  }

  async setSecret(id: string, secret: string): Promise<void> {
    await query(this.#em, 'update connections set client_secret = $2 where id = $1', [id, secret])
  }
}

function toValues({ id, workspaceId }: ConnectionId, settings: ConnectionSettings): unknown[] {
  const { name, issuer, clientId, scopes, defaultRole, mapping } = settings
  const { isActive, enforced, breakGlass } = settings
  const flags = [isActive, enforced, breakGlass]
  const provider = [name, issuer, clientId, scopes]
  return [id, workspaceId, ...provider, defaultRole, ...flags, JSON.stringify(mapping)]
}

const selectSql = `
  select c.id, c.workspace_id as "workspaceId", c.name, c.issuer, c.client_id as "clientId",
    c.client_secret as secret, c.scopes, c.default_role as "defaultRole",
    c.is_active as "isActive", c.enforced, c.break_glass as "breakGlass", c.mapping,
    c.last_sign_in_at as "lastSignInAt", c.created_at as "createdAt"
  from connections c`

/** $1 ID, $2 time or null. */
const recordSignInSql = `
  update connections set last_sign_in_at = $2::timestamptz
  where id = $1
    and ($2::timestamptz is null or last_sign_in_at is null or last_sign_in_at < $2::timestamptz - interval '1 minute')`

/** $1 ID. */
const findActiveSql = `${selectSql}
  where c.id = $1 and c.is_active
    and not exists (select from deleted_workspaces d where d.id = c.workspace_id)`

/** $1 connection, $2 user. */
const workspaceOfSessionSql = `
  select c.workspace_id as "workspaceId"
  from connections c
  join users u on u.id = $2
  join connection_domains d
    on d.connection_id = c.id and d.domain = split_part(u.email, '@', 2) and d.verified_at is not null
  where c.id = $1 and c.is_active
    and not exists (select from deleted_workspaces w where w.id = c.workspace_id)
  for share of c`

const existsAnySql = `
  select from connection_domains d join connections c on c.id = d.connection_id
  where d.verified_at is not null and c.is_active limit 1`

/**
 * $1 ID, $2 workspace, $3 name, $4 issuer, $5 client ID, $6 scopes, $7 default role, $8 active,
 * $9 enforced, $10 break glass, $11 mapping, $12 secret, $13 creator.
 */
const insertSql = `
  insert into connections (id, workspace_id, name, issuer, client_id, scopes, default_role,
    is_active, enforced, break_glass, mapping, client_secret, created_by)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::jsonb, $12, $13)`

/** $1 to $12 as in `insertSql`. */
const updateSql = `
  update connections set name = $3, issuer = $4, client_id = $5, scopes = $6, default_role = $7,
    is_active = $8, enforced = $9, break_glass = $10, mapping = $11::jsonb, client_secret = $12
  where id = $1 and workspace_id = $2`
