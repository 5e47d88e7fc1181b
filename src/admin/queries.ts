import type { EntityManager } from '@mikro-orm/postgresql'
import type { ClientAppResponse, ServiceAppResponse } from '../../gen/daikon/v1/admin_apps.ts'
import type { LinkedAccount, Membership, UserSummary } from '../../gen/daikon/v1/admin_users.ts'
import { normalizeEmail } from '../core/email.ts'
import { isUuid } from '../core/uuid.ts'
import { activeAppsSql } from '../database/control-connection.ts'
import { createFilters } from '../database/filters.ts'
import { findPage, type Page, type PageRequest } from '../database/page.ts'
import { query } from '../database/query.ts'
import { likePattern, type Timestamp } from '../database/sql-values.ts'

export type UserRow = Omit<UserSummary, 'created_at' | 'last_sign_in_at' | 'external_id'> & {
  external_id: string | null
  created_at: Timestamp
  last_sign_in_at: Timestamp | null
}

const userColumns =
  'u.id, u.email, u.external_id, u.name, u.avatar_url, u.is_active, u.is_admin, u.created_at, u.last_sign_in_at'

export type UserFilters = {
  q?: string | undefined
  is_active?: boolean | undefined
  is_admin?: boolean | undefined
}

/** Returns a page of users, by e-mail address; `q` matches names and e-mail addresses. */
export function findUserPage(
  em: EntityManager,
  page: PageRequest,
  { q, is_active, is_admin }: UserFilters,
): Promise<Page<UserRow>> {
  const filters = createFilters()
  filters.add(
    q ? likePattern(q) : undefined,
    (text) => `(u.email ilike ${text} or u.name ilike ${text})`,
  )
  filters.add(is_active, (placeholder) => `u.is_active = ${placeholder}`)
  filters.add(is_admin, (placeholder) => `u.is_admin = ${placeholder}`)
  return findPage(em, page, {
    select: userColumns,
    from: `users u ${filters.where()}`,
    orderBy: 'u.email',
    values: filters.values,
  })
}

export async function findUser(em: EntityManager, id: string): Promise<UserRow | undefined> {
  const [row] = await query<UserRow>(em, `select ${userColumns} from users u where u.id = $1`, [id])
  return row
}

export type LinkedAccountRow = Omit<LinkedAccount, 'linked_at'> & { created_at: Timestamp }

export function findLinkedAccounts(em: EntityManager, userId: string): Promise<LinkedAccountRow[]> {
  return query(
    em,
    `select provider, subject, email, created_at from linked_accounts
     where user_id = $1 order by provider, subject`,
    [userId],
  )
}

export type MembershipRow = Omit<Membership, 'status' | 'joined_at'> & {
  joined_at: Timestamp | null
}

export function findMemberships(em: EntityManager, userId: string): Promise<MembershipRow[]> {
  return query(
    em,
    `select m.workspace_id, w.name as workspace_name, w.slug as workspace_slug, m.role, m.joined_at
     from members m join workspaces w on w.id = m.workspace_id
     where m.user_id = $1 order by w.name, w.id`,
    [userId],
  )
}

export type LockedUser = {
  id: string
  email: string
  external_id: string | null
  name: string
  is_active: boolean
  is_admin: boolean
  admin_revoked: boolean
}

/** Locks users until the end of the transaction. */
export function lockUsers(em: EntityManager, ids: string[]): Promise<LockedUser[]> {
  return query(
    em,
    `select id, email, external_id, name, is_active, is_admin, admin_revoked from users
     where id = any($1::uuid[]) order by id for no key update`,
    [ids],
  )
}

/** Whether another user has this text as an ID, e-mail address or `external_id`. */
export async function isNameOfAnotherUser(
  em: EntityManager,
  externalId: string,
  userId: string,
): Promise<boolean> {
  const rows = await query(
    em,
    `select from users
     where (external_id = $1 or email = $3 or id = $4::uuid) and id <> $2`,
    [externalId, userId, normalizeEmail(externalId), isUuid(externalId) ? externalId : undefined],
  )
  return rows.length > 0
}

/** Locks a user and every active administrator until the end of the transaction. */
export function lockUserAndAdministrators(em: EntityManager, email: string): Promise<LockedUser[]> {
  return query(
    em,
    `select id, email, external_id, name, is_active, is_admin, admin_revoked from users
     where email = $1 or is_admin and is_active order by id for no key update`,
    [email],
  )
}

export type ClientAppRow = Omit<
  ClientAppResponse,
  'created_at' | 'created_by' | 'backchannel_logout_uri' | 'secret_prefix' | 'client_secret'
> & {
  created_by: string | null
  created_at: Timestamp
  backchannel_logout_uri: string | null
  secret_prefix: string | null
}

/** `secret_prefix` is that of the newest secret, which expires last. */
const clientAppSelect = `
  select a.id, a.name, a.is_active, a.created_by, a.created_at, a.type,
    array(select uri from client_redirect_uris where app_id = a.id order by uri) as redirect_uris,
    a.post_logout_redirect_uris, a.backchannel_logout_uri,
    (select s.secret_prefix from client_secrets s where s.app_id = a.id
      order by s.expires_at desc nulls first limit 1) as secret_prefix
  from client_apps a`

export function findClientApps(em: EntityManager): Promise<ClientAppRow[]> {
  return query(em, `${clientAppSelect} order by a.id`)
}

/** Locks a client app until the end of the transaction. */
export async function lockClientApp(
  em: EntityManager,
  id: string,
): Promise<ClientAppRow | undefined> {
  const sql = `${clientAppSelect} where a.id = $1 for no key update of a`
  const [row] = await query<ClientAppRow>(em, sql, [id])
  return row
}

/** Expires the secrets of a client app after `seconds`, unless they expire earlier. */
export async function expireClientSecrets(
  em: EntityManager,
  appId: string,
  seconds: number,
): Promise<void> {
  await query(
    em,
    `update client_secrets
     set expires_at = least(expires_at, now() + make_interval(secs => $1)) where app_id = $2`,
    [seconds, appId],
  )
}

export type ServiceAppRow = Omit<
  ServiceAppResponse,
  'created_at' | 'last_used_at' | 'created_by'
> & {
  last_used_at: Timestamp | null
  created_by: string | null
  created_at: Timestamp
}

/** `key_prefix` is that of the newest key, which expires last. */
const serviceAppSelect = `
  select a.id, a.name, a.service_name, k.key_prefix, a.is_active, a.last_used_at, a.created_by,
    a.created_at
  from service_apps a
  left join lateral (
    select key_prefix from service_keys where app_id = a.id
    order by expires_at desc nulls first limit 1
  ) k on true`

export function findServiceApps(em: EntityManager): Promise<ServiceAppRow[]> {
  return query(em, `${serviceAppSelect} order by a.id`)
}

/** Locks the active service apps until the end of the transaction and returns their IDs. */
export async function lockActiveServiceApps(em: EntityManager): Promise<string[]> {
  const rows = await query<{ id: string }>(
    em,
    'select id from service_apps where is_active order by id for no key update',
  )
  return rows.map(({ id }) => id)
}

/** Locks a service app until the end of the transaction. */
export async function lockServiceApp(
  em: EntityManager,
  id: string,
): Promise<ServiceAppRow | undefined> {
  const sql = `${serviceAppSelect} where a.id = $1 for no key update of a`
  const [row] = await query<ServiceAppRow>(em, sql, [id])
  return row
}

/** Expires the keys of a service app after `seconds`, unless they expire earlier. */
export async function expireServiceKeys(
  em: EntityManager,
  appId: string,
  seconds: number,
): Promise<void> {
  await query(
    em,
    `update service_keys
     set expires_at = least(expires_at, now() + make_interval(secs => $1)) where app_id = $2`,
    [seconds, appId],
  )
}

/**
 * Records the last use of keys. `$1` and `$2` are arrays of key hashes and times. An app is updated
 * at most once a minute.
 */
export const recordKeyUsageSql = `
  update service_apps a set last_used_at = used.at
  from (
    select k.app_id, max(date_trunc('minute', u.at)) as at
    from unnest($1::text[], $2::timestamptz[]) u(key_hash, at)
    join service_keys k on k.key_hash = u.key_hash
    group by k.app_id
  ) used
  where a.id = used.app_id and (a.last_used_at is null or a.last_used_at < used.at)`

type EndedKey = {
  key_hash: string
  key_prefix: string
  app_id: string
  name: string
  service_name: string
  is_active: boolean
}

/** Locks and returns the keys that are no longer valid: expired keys and keys of inactive apps. */
export function lockEndedKeys(em: EntityManager, keyHashes: string[]): Promise<EndedKey[]> {
  return query(
    em,
    `select k.key_hash, k.key_prefix, k.app_id, a.name, a.service_name, a.is_active
     from service_keys k join service_apps a on a.id = k.app_id
     where k.key_hash = any($1::text[]) and (k.expires_at <= now() or not a.is_active)
     order by k.key_hash for no key update of k`,
    [keyHashes],
  )
}

/**
 * Returns the rejected keys whose use was recorded within the last hour, each as `<app id> <key
 * prefix>`.
 */
export async function findRecordedEndedKeys(
  em: EntityManager,
  appIds: string[],
): Promise<Set<string>> {
  const rows = await query<{ key: string }>(
    em,
    `select target_id || ' ' || (detail ->> 'key_prefix') as key from activity
     where target_id = any($1::uuid[]) and action = 'service_app.ended_key_used'
       and created_at > now() - interval '1 hour'`,
    [appIds],
  )
  return new Set(rows.map(({ key }) => key))
}

/** Whether any service app is active. If none is, development mode may be on. */
export async function hasActiveApps(em: EntityManager): Promise<boolean> {
  const [row] = await query<{ active: boolean }>(em, activeAppsSql)
  return row?.active === true
}
