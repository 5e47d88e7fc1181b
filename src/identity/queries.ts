import type { EntityManager } from '@mikro-orm/postgresql'
import type { Role } from '../core/roles.ts'
import { query } from '../database/query.ts'
import type { Timestamp } from '../database/sql-values.ts'
import { type Claims, maxGroups } from './claims.ts'

/** Identifies a member by user id and workspace id, or by e-mail address and workspace slug. */
export type MemberKey = { userId: string; workspaceId: string } | { email: string; slug: string }

/**
 * Returns the claims of a member's access token, or undefined if the user is inactive or not a
 * member.
 */
export async function findMemberClaims(
  em: EntityManager,
  key: MemberKey,
): Promise<Omit<Claims['access'], 'jti'> | undefined> {
  const [condition, values] =
    'userId' in key
      ? ['u.id = $1 and w.id = $2', [key.userId, key.workspaceId]]
      : ['u.email = $1 and w.slug = $2', [key.email, key.slug]]
  type Row = Omit<Claims['access'], 'jti' | 'groups_overage'> & { groups: string[] }
  const [row] = await query<Row>(
    em,
    `select u.id as sub, u.email, u.name, w.id as wid, w.slug as wslug, m.role as wrole,
       array(select g.group_id::text from group_members g
         where g.user_id = u.id and g.workspace_id = w.id
         order by 1 limit ${maxGroups + 1}) as groups
     from members m join users u on u.id = m.user_id join workspaces w on w.id = m.workspace_id
     where u.is_active and ${condition}`,
    values,
  )
  if (!row) return undefined
  const { groups, ...claims } = row
  return groups.length > maxGroups ? { ...claims, groups_overage: true } : { ...claims, groups }
}

/** Lists the workspaces of a user with the user's role, ordered by name. */
export async function listWorkspacesOfUser(
  em: EntityManager,
  userId: string,
): Promise<{ id: string; name: string; slug: string; role: Role }[]> {
  return query(
    em,
    `select w.id, w.name, w.slug, m.role
     from members m join workspaces w on w.id = m.workspace_id
     where m.user_id = $1 order by w.name, w.id`,
    [userId],
  )
}

/** Creates a user unless the address is taken. */
export async function insertUser(em: EntityManager, id: string, email: string): Promise<void> {
  const sql = 'insert into users (id, email) values ($1, $2) on conflict (email) do nothing'
  await query(em, sql, [id, email])
}

/**
 * Returns whether a user is active. With `lock`, also locks the user's row until the end of the
 * transaction, which excludes concurrent sign-ins, sign-outs and changes of the user's status.
 */
export async function isActiveUser(
  em: EntityManager,
  userId: string,
  { lock }: { lock: boolean },
): Promise<boolean> {
  const sql = `select is_active from users where id = $1 ${lock ? 'for no key update' : ''}`
  const [user] = await query<{ is_active: boolean }>(em, sql, [userId])
  return user?.is_active === true
}

/** A user who has signed in. `wasAdmin` is the value of `isAdmin` before the sign-in. */
export type SignedInUser = {
  id: string
  email: string
  name: string
  isAdmin: boolean
  wasAdmin: boolean
}

/**
 * Updates a user who signs in. Returns undefined if the user is inactive. The provider's name and
 * picture are stored only if the user has none. A verified address in ADMIN_EMAILS (`adminEmail`)
 * makes the user an administrator, unless an operator has revoked that right or the address belongs
 * to another user.
 */
export async function updateSignedInUser(
  em: EntityManager,
  user: {
    id: string
    adminEmail: string | undefined
    name: string
    avatarUrl: string
    now: Date
  },
): Promise<SignedInUser | undefined> {
  const [updated] = await query<SignedInUser>(
    em,
    `update users set
       last_sign_in_at = $2,
       is_admin = is_admin or ($3::text is not null and not admin_revoked
         and not exists (select from users other where other.email = $3 and other.id <> $1)),
       name = case when name = '' then $4 else name end,
       avatar_url = case when avatar_url = '' then $5 else avatar_url end
     from (select is_admin as was_admin from users where id = $1 for no key update) before
     where id = $1 and is_active
     returning id, email, name, is_admin as "isAdmin", was_admin as "wasAdmin"`,
    [user.id, user.now, user.adminEmail, user.name, user.avatarUrl],
  )
  return updated
}

/** Returns the id of the user to whom an account at a provider is linked. */
export async function findLinkedUserId(
  em: EntityManager,
  { provider, subject }: { provider: string; subject: string },
): Promise<string | undefined> {
  const sql = 'select user_id from linked_accounts where provider = $1 and subject = $2'
  const [account] = await query<{ user_id: string }>(em, sql, [provider, subject])
  return account?.user_id
}

export type LinkedAccountRow = {
  id: string
  provider: string
  subject: string
  email: string
  created_at: Timestamp
}

/** Returns the linked accounts of a user, oldest first. */
export function findAccounts(em: EntityManager, userId: string): Promise<LinkedAccountRow[]> {
  return query(
    em,
    `select id, provider, subject, email, created_at from linked_accounts
     where user_id = $1 order by created_at, id`,
    [userId],
  )
}

/** Links an account at a provider to a user. Returns false if the account is already linked. */
export async function insertLinkedAccount(
  em: EntityManager,
  account: {
    provider: string
    subject: string
    userId: string
    email: string
    hostedDomain: string
  },
): Promise<boolean> {
  const inserted = await query(
    em,
    `insert into linked_accounts (provider, subject, user_id, email, hosted_domain)
     values ($1, $2, $3, $4, $5) on conflict (provider, subject) do nothing returning id`,
    [account.provider, account.subject, account.userId, account.email, account.hostedDomain],
  )
  return inserted.length > 0
}

/** Marks a state as used. Returns false if it was used before. */
export async function insertUsedState(
  em: EntityManager,
  stateHash: string,
  expiresAt: Date,
): Promise<boolean> {
  const inserted = await query(
    em,
    `insert into used_states (state_hash, expires_at) values ($1, $2) on conflict do nothing
     returning state_hash`,
    [stateHash, expiresAt],
  )
  return inserted.length > 0
}

/** Returns whether an active client app has registered exactly this redirect URI. */
export async function isRegisteredRedirectUri(em: EntityManager, uri: string): Promise<boolean> {
  const rows = await query(
    em,
    `select from client_redirect_uris u join client_apps a on a.id = u.app_id
     where u.uri = $1 and a.is_active limit 1`,
    [uri],
  )
  return rows.length > 0
}

/**
 * Returns, for each of the origins `$1`, whether it belongs to a redirect URI of an active client
 * app.
 */
export const areClientOrigins = `
  select exists (
    select from client_redirect_uris u join client_apps a on a.id = u.app_id
    where u.origin = requested.origin and a.is_active)
  from unnest($1::text[]) with ordinality as requested (origin, position)
  order by requested.position`

/** Adds a token to the denylist until it expires. */
export async function denyToken(
  em: EntityManager,
  { id, expiresAt }: { id: string; expiresAt: Date },
): Promise<void> {
  await query(
    em,
    'insert into denied_tokens (token_id, expires_at) values ($1, $2) on conflict do nothing',
    [id, expiresAt],
  )
}

/** Records an admin token, so that it can be revoked later. */
export async function insertAdminToken(
  em: EntityManager,
  token: { tokenId: string; userId: string; expiresAt: Date },
): Promise<void> {
  const sql = 'insert into admin_tokens (token_id, user_id, expires_at) values ($1, $2, $3)'
  await query(em, sql, [token.tokenId, token.userId, token.expiresAt])
}

/** Revokes all admin tokens of a user. */
export async function denyAdminTokens(em: EntityManager, userId: string): Promise<void> {
  await query(
    em,
    `with revoked as (delete from admin_tokens where user_id = $1 returning token_id, expires_at)
     insert into denied_tokens (token_id, expires_at) select token_id, expires_at from revoked
     on conflict do nothing`,
    [userId],
  )
}

/** Returns the ids of a user's unexpired refresh-token families, except the newest `count`. */
export async function findFamiliesBeyond(
  em: EntityManager,
  userId: string,
  count: number,
  now: Date,
): Promise<string[]> {
  const rows = await query<{ id: string }>(
    em,
    `select id from refresh_families where user_id = $1 and expires_at > $2
     order by created_at desc, id desc offset $3`,
    [userId, now, count],
  )
  return rows.map(({ id }) => id)
}

/**
 * Locks refresh-token families until the end of the transaction. The fixed order prevents
 * deadlocks.
 */
export async function lockRefreshFamilies(em: EntityManager, familyIds: string[]): Promise<void> {
  const sql = 'select from refresh_families where id = any($1::uuid[]) order by id for update'
  await query(em, sql, [familyIds])
}

/** Adds the unexpired access tokens of refresh-token families to the denylist. */
export async function denyAccessTokensOfFamilies(
  em: EntityManager,
  familyIds: string[],
  now: Date,
): Promise<void> {
  await query(
    em,
    `insert into denied_tokens (token_id, expires_at)
     select access_token_id, access_expires_at from refresh_tokens
     where family_id = any($1::uuid[]) and access_expires_at > $2
     on conflict do nothing`,
    [familyIds, now],
  )
}

/**
 * Seconds after the end of a session during which the delivery of its logout token is attempted.
 */
const logoutSeconds = 3600

/**
 * Queues a logout token for each family that was started by an authorization request of a client
 * app with a `backchannel_logout_uri`.
 */
export async function queueLogoutNotifications(
  em: EntityManager,
  familyIds: string[],
  now: Date,
): Promise<void> {
  await query(
    em,
    `insert into logout_notifications (client_id, user_id, session_id, next_attempt_at, expires_at)
     select f.client_id, f.user_id, f.id, $2, $3
     from refresh_families f join client_apps a on a.id = f.client_id
     where f.id = any($1::uuid[]) and f.scope is not null and a.backchannel_logout_uri is not null`,
    [familyIds, now, new Date(now.getTime() + logoutSeconds * 1000)],
  )
}

/**
 * Deletes browser sessions of a user with their authorization codes. `only` selects those of a
 * provider or of a refresh-token family, or all except that of a family.
 */
export async function endBrowserSessionsOf(
  em: EntityManager,
  userId: string,
  only: {
    provider?: string
    familyId?: string
    exceptFamilyId?: string | undefined
  } = {},
): Promise<void> {
  await query(
    em,
    `delete from browser_sessions s where s.user_id = $1
       and ($2::text is null or s.provider = $2)
       and ($3::uuid is null or s.id = (select browser_session_id from refresh_families where id = $3))
       and ($4::uuid is null or s.id is distinct from
         (select browser_session_id from refresh_families where id = $4))`,
    [userId, only.provider, only.familyId, only.exceptFamilyId],
  )
}
