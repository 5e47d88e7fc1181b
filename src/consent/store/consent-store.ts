import type { EntityManager } from '@mikro-orm/postgresql'
import { findPage, type Page, type PageRequest } from '../../database/page.ts'
import { query } from '../../database/query.ts'
import type { Timestamp } from '../../database/sql-values.ts'

/** What identifies a consent besides its ID. */
export type ConsentKey = {
  userId: string
  clientId: string
  workspaceId: string
  resourceId: string | undefined
}

export type StoredConsent = {
  id: string
  scopes: string[]
  metadataHash: string
  lastUsedAt: Date
}

export type NewConsent = ConsentKey & {
  id: string
  host: string
  metadataHash: string
  scopes: string[]
}

/** A consent as users see it. */
export type Grant = {
  id: string
  userId: string
  workspaceId: string
  clientId: string
  clientName: string
  host: string
  /** The URI of the API, or null if the access is not limited to one. */
  resource: string | null
  scopes: string[]
  createdAt: Timestamp
  lastUsedAt: Timestamp
}

/** Which grants to list. */
export type GrantFilter = {
  userId?: string | undefined
  workspaceId?: string | undefined
  clientId?: string | undefined
  host?: string | undefined
  resource?: string | undefined
}

/** The consents of users to the access of apps. */
export class ConsentStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Returns what a consent to the access of a registered client app depends on. */
  async findRegistration(
    clientId: string,
  ): Promise<{ metadataHash: string; isAuthenticated: boolean }> {
    type Registration = { metadataHash: string; isAuthenticated: boolean }
    const [found] = await query<Registration>(this.#em, findRegistrationSql, [clientId])
    return found ?? { metadataHash: '', isAuthenticated: false }
  }

  find(key: ConsentKey): Promise<StoredConsent | undefined> {
    return this.#find(findSql, key)
  }

  /** Finds a consent and locks it until the end of the transaction. */
  lock(key: ConsentKey): Promise<StoredConsent | undefined> {
    return this.#find(`${findSql} for update`, key)
  }

  async #find(sql: string, key: ConsentKey): Promise<StoredConsent | undefined> {
    const { userId, clientId, workspaceId, resourceId } = key
    const values = [userId, clientId, workspaceId, resourceId]
    type Row = Omit<StoredConsent, 'lastUsedAt'> & { lastUsedAt: Timestamp }
    const [found] = await query<Row>(this.#em, sql, values)
    return found && { ...found, lastUsedAt: new Date(found.lastUsedAt) }
  }

  async insert(consent: NewConsent, now: Date): Promise<void> {
    const { id, userId, workspaceId, clientId, resourceId, scopes, host, metadataHash } = consent
    await query(this.#em, insertSql, [
      ...[id, userId, workspaceId, clientId, resourceId, scopes, host, metadataHash, now],
    ])
  }

  async update(
    id: string,
    { scopes, host, metadataHash }: Pick<NewConsent, 'scopes' | 'host' | 'metadataHash'>,
    now: Date,
  ): Promise<void> {
    await query(this.#em, updateSql, [id, scopes, host, metadataHash, now])
  }

  /** Records that a consent is used. Returns false if it has ended. */
  async renew(id: string, now: Date): Promise<boolean> {
    return (await query(this.#em, renewSql, [id, now])).length > 0
  }

  /** Records the day on which a consent is used, unless a concurrent transaction does or ends it. */
  async use(id: string, now: Date): Promise<void> {
    await query(this.#em, useSql, [id, now])
  }

  /** Returns the consents of a user but the `kept` ones that were used last. */
  async listBeyond(userId: string, kept: number): Promise<string[]> {
    const rows = await query<{ id: string }>(this.#em, listBeyondSql, [userId, kept])
    return rows.map(({ id }) => id)
  }

  /** Returns a page of grants, newest first. */
  findPage(filter: GrantFilter, page: PageRequest): Promise<Page<Grant>> {
    const values = toValues(filter)
    return findPage(this.#em, page, { select, from, orderBy: 'c.id desc', values })
  }

  /** Returns all grants of a user, newest first. */
  list(userId: string): Promise<Grant[]> {
    const sql = `select ${select} from ${joined} where c.user_id = $1 order by c.id desc`
    return query(this.#em, sql, [userId])
  }

  /** Returns the IDs of at most `limit` grants. */
  async listIds(filter: GrantFilter, limit: number): Promise<string[]> {
    const values = [...toValues(filter), limit]
    const rows = await query<{ id: string }>(
      this.#em,
      `select c.id from ${from} order by c.id limit $6`,
      values,
    )
    return rows.map(({ id }) => id)
  }

  /** Returns those of some workspaces that admit clients that nobody registered. */
  async listAdmitting(workspaceIds: string[]): Promise<string[]> {
    const rows = await query<{ id: string }>(this.#em, listAdmittingSql, [workspaceIds])
    return rows.map(({ id }) => id)
  }

  /** Whether a workspace admits them, until the end of the transaction. */
  async lockAdmitting(workspaceId: string): Promise<boolean> {
    const sql = `${listAdmittingSql} for share`
    return (await query(this.#em, sql, [[workspaceId]])).length > 0
  }

  /** Returns the IDs of the grants of such clients in a workspace. */
  async listExternal(workspaceId: string): Promise<string[]> {
    const rows = await query<{ id: string }>(this.#em, listExternalSql, [workspaceId])
    return rows.map(({ id }) => id)
  }

  /** Locks consents until the end of the transaction, and returns those that exist. */
  async lockAll(ids: string[]): Promise<Grant[]> {
    const locked = await query<{ id: string }>(this.#em, lockAllSql, [ids])
    return locked.length === 0 ? [] : query(this.#em, listByIdsSql, [locked.map(({ id }) => id)])
  }

  async delete(ids: string[]): Promise<void> {
    await query(this.#em, 'delete from consents where id = any($1::uuid[])', [ids])
  }

  /** Locks clients that nobody registered and to which no consent is left, until the end of the transaction. */
  async lockUnusedExternal(limit: number): Promise<string[]> {
    const rows = await query<{ id: string }>(this.#em, lockUnusedExternalSql, [limit])
    return rows.map(({ id }) => id)
  }

  /** Deletes those of some locked clients to which nobody has consented before they were locked. */
  async deleteUnusedExternal(ids: string[]): Promise<void> {
    await query(this.#em, deleteUnusedExternalSql, [ids])
  }
}

function toValues({ userId, workspaceId, clientId, host, resource }: GrantFilter) {
  return [userId, workspaceId, clientId, host, resource]
}

/**
 * $1 client ID. A client that has a secret, too, is not authenticated: a program contains its secret, which
 * others can read.
 */
const findRegistrationSql = `
  select encode(sha256(convert_to(concat_ws(' ', a.type, a.jwks::text,
      (select string_agg(u.uri, ' ' order by u.uri) from client_redirect_uris u
        where u.app_id = a.id)), 'UTF8')), 'hex') as "metadataHash",
    a.type = 'confidential' and a.jwks is not null
      and not exists (select from client_secrets s
        where s.app_id = a.id and (s.expires_at is null or s.expires_at > now()))
      as "isAuthenticated"
  from client_apps a where a.id = $1`

/** $1 user, $2 client, $3 workspace, $4 API or null. */
const findSql = `
  select id, scopes, metadata_hash as "metadataHash", last_used_at as "lastUsedAt"
  from consents where user_id = $1 and client_id = $2 and workspace_id = $3
    and resource_id is not distinct from $4::uuid`

/**
 * $1 ID, $2 user, $3 workspace, $4 client, $5 API or null, $6 scopes, $7 host, $8 hash of the metadata,
 * $9 current time.
 */
const insertSql = `
  insert into consents (id, user_id, workspace_id, client_id, resource_id, scopes, host,
    metadata_hash, created_at, last_used_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)`

/** $1 ID, $2 scopes, $3 host, $4 hash of the metadata, $5 current time. */
const updateSql = `
  update consents set scopes = $2, host = $3, metadata_hash = $4, last_used_at = $5
  where id = $1`

/** $1 ID, $2 current time. */
const renewSql = 'update consents set last_used_at = $2 where id = $1 returning id'

/** $1 ID, $2 current time. Waiting for a lock could be a deadlock with the end of the consent. */
const useSql = `
  update consents set last_used_at = $2 where id in (
    select id from consents where id = $1 and last_used_at < $2::timestamptz - interval '1 hour'
    for no key update skip locked)`

/** $1 user, $2 number of consents that stay. */
const listBeyondSql = `
  select id from consents where user_id = $1 order by last_used_at desc, id desc offset $2`

/** $1 workspaces. */
const listAdmittingSql = `
  select id from workspaces where id = any($1::uuid[]) and third_party_clients`

/** $1 workspace. */
const listExternalSql = `
  select c.id from consents c join client_apps a on a.id = c.client_id
  where c.workspace_id = $1 and a.metadata_uri is not null`

/** The order prevents deadlocks. $1 IDs. */
const lockAllSql = 'select id from consents where id = any($1::uuid[]) order by id for update'

const isUnused = `a.metadata_uri is not null
  and not exists (select from consents c where c.client_id = a.id)`

/** A consent that is being made has locked its client. $1 limit. */
const lockUnusedExternalSql = `
  select a.id from client_apps a where ${isUnused} order by a.id limit $1 for update skip locked`

/** Another statement than the one that locks, so that it sees consents that were made before the lock. $1 IDs. */
const deleteUnusedExternalSql = `
  delete from client_apps a where a.id = any($1::uuid[]) and ${isUnused}`

/** The ID of a client is its URL if nobody registered it. */
const clientId = 'coalesce(a.metadata_uri, a.id::text)'

const select = `c.id, c.user_id as "userId", c.workspace_id as "workspaceId",
  ${clientId} as "clientId", a.name as "clientName", c.host, r.uri as resource, c.scopes,
  c.created_at as "createdAt", c.last_used_at as "lastUsedAt"`

const joined = `consents c join client_apps a on a.id = c.client_id
  left join api_resources r on r.id = c.resource_id`

/** $1 IDs. */
const listByIdsSql = `
  select ${select} from ${joined} where c.id = any($1::uuid[]) order by c.id`

/** $1 user, $2 workspace, $3 client, $4 host, $5 URI of the API; null for any. */
const from = `${joined}
  where ($1::uuid is null or c.user_id = $1) and ($2::uuid is null or c.workspace_id = $2)
    and ($3::text is null or ${clientId} = $3)
    and ($4::text is null or c.host = $4) and ($5::text is null or r.uri = $5)`
