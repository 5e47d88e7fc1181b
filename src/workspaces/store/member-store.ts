import type { EntityManager } from '@mikro-orm/postgresql'
import { changedFields } from '../../core/changed-fields.ts'
import type { Role } from '../../core/roles.ts'
import { Member } from '../../database/entities/people.ts'
import { createFilters, type Filters } from '../../database/filters.ts'
import { findPage, type Page, type PageRequest } from '../../database/page.ts'
import { query } from '../../database/query.ts'
import { addWords, matchesText } from '../../database/search.ts'
import type { Timestamp } from '../../database/sql-values.ts'

/** Identifies a membership. */
export type MemberId = { workspaceId: string; userId: string }

/**
 * A membership and its user. `joinedAt` is null until an invited user joins, and `expiresAt` unless
 * the membership ends.
 */
export type WorkspaceMember = MemberId & {
  kind: 'user' | 'service_account'
  /** Empty for a service account. */
  email: string
  name: string
  avatarUrl: string
  role: Role
  joinedAt: Timestamp | null
  expiresAt: Timestamp | null
  /** Why an administrator has given support access; null for other memberships. */
  supportReason: string | null
  isGuest: boolean
  /** The status with which a mail server has refused the pending invitation; null otherwise. */
  emailRefusal: string | null
}

/** A membership that has ended. */
export type EndedMember = MemberId & {
  email: string
  role: Role
  expiresAt: Timestamp
  supportReason: string | null
}

/** A member of a group or custom role. */
export type MemberProfile = {
  userId: string
  email: string
  name: string
  avatarUrl: string
  addedAt: Timestamp
}

/**
 * Selects members by role; `q` matches names and e-mail addresses. The names and avatars of invited
 * users are empty unless `showsInvited` is set.
 */
export type MemberFilter = {
  q?: string | undefined
  role?: string | undefined
  guest?: boolean | undefined
  showsInvited: boolean
}

/**
 * The memberships of users in workspaces. A membership that has ended does not exist for the methods
 * that read, whether or not it has been deleted.
 */
export class MemberStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  async find({ workspaceId, userId }: MemberId): Promise<WorkspaceMember | undefined> {
    const [member] = await query<WorkspaceMember>(
      this.#em,
      `select ${columns} from ${tables} where m.workspace_id = $1 and m.user_id = $2`,
      [workspaceId, userId],
    )
    return member
  }

  /** Whether a user has joined a workspace or is invited to it. */
  async exists({ workspaceId, userId }: MemberId): Promise<boolean> {
    const sql = 'select from live_members where workspace_id = $1 and user_id = $2'
    return (await query(this.#em, sql, [workspaceId, userId])).length > 0
  }

  /** Returns which of these users are members of a workspace. */
  async findUserIds(workspaceId: string, userIds: string[]): Promise<Set<string>> {
    const rows = await query<{ id: string }>(
      this.#em,
      `select user_id as id from live_members
       where workspace_id = $1 and user_id = any($2::uuid[])`,
      [workspaceId, userIds],
    )
    return new Set(rows.map(({ id }) => id))
  }

  /** Returns the first members of a workspace, by user ID. */
  list(workspaceId: string, filter: MemberFilter, limit: number): Promise<WorkspaceMember[]> {
    const { where, values } = createMemberFilters(workspaceId, filter)
    const sql = `select ${columns} from ${tables} ${where()} order by m.user_id`
    return query(this.#em, `${sql} limit $${values.length + 1}`, [...values, limit])
  }

  /**
   * Returns a page of the members of a workspace: owners first, then by name, or by e-mail address
   * if the list shows no name.
   */
  listPage(
    workspaceId: string,
    filter: MemberFilter,
    page: PageRequest,
  ): Promise<Page<WorkspaceMember>> {
    const { where, values } = createMemberFilters(workspaceId, filter)
    const name = filter.showsInvited ? 'u.name' : shownName
    return findPage(this.#em, page, {
      select: columns,
      from: `${tables} ${where()}`,
      orderBy: `m.role = 'owner' desc, lower(coalesce(nullif(${name}, ''), u.email)), m.user_id`,
      values,
    })
  }

  /**
   * Whether a workspace has another owner who has joined, is active and stays. An invited owner may
   * never accept, an inactive one cannot sign in, and one whose membership ends will be gone.
   */
  async hasOtherActiveOwner({ workspaceId, userId }: MemberId): Promise<boolean> {
    const rows = await query(
      this.#em,
      `select from live_members m join users u on u.id = m.user_id
       where m.workspace_id = $1 and m.role = 'owner' and m.user_id <> $2
         and m.joined_at is not null and m.expires_at is null and u.is_active limit 1`,
      [workspaceId, userId],
    )
    return rows.length > 0
  }

  /**
   * Whether a user has joined any workspace. One that the user joined through a connection does not count,
   * because sessions through the connection alone reach it at first.
   */
  async hasJoinedAny(userId: string): Promise<boolean> {
    return (await query(this.#em, hasJoinedAnySql, [userId])).length > 0
  }

  /**
   * Locks a user until the end of the transaction and returns the number of workspaces that the
   * user owns, without invitations.
   */
  async countOwnedWorkspaces(userId: string): Promise<number> {
    await query(this.#em, 'select from users where id = $1 for no key update', [userId])
    const [row] = await query<{ count: number }>(
      this.#em,
      `select count(*)::int as count from live_members
       where user_id = $1 and role = 'owner' and joined_at is not null`,
      [userId],
    )
    return row?.count ?? 0
  }

  /** Adds a member who has joined, or changes the role of an existing one. */
  async add(
    { workspaceId, userId }: MemberId,
    role: Role,
    joinedAt: Date,
    isGuest = false,
  ): Promise<void> {
    const member = { user_id: userId, workspace_id: workspaceId }
    await this.#em.upsert(
      Member,
      { ...member, role, is_guest: isGuest, joined_at: joinedAt, expires_at: null },
      { onConflictExcludeFields: ['joined_at'] },
    )
  }

  /** Invites a user, or changes the role, the inviter and the end of the membership of an invited one. */
  async invite(
    { workspaceId, userId }: MemberId,
    { role, isGuest, invitedBy, expiresAt }: Invitation,
  ): Promise<void> {
    const member = { workspace_id: workspaceId, user_id: userId }
    const end = expiresAt === undefined ? null : new Date(expiresAt)
    await this.#em.upsert(Member, {
      ...member,
      role,
      is_guest: isGuest,
      invited_by: invitedBy ?? null,
      expires_at: end,
    })
  }

  /** Invites many users who are not members. */
  async inviteAll(
    members: (MemberId & NewStanding)[],
    invitedBy: string | undefined,
  ): Promise<void> {
    await query(this.#em, inviteAllSql, [...toArrays(members), invitedBy])
  }

  /** Adds a member who has joined, with support access until `expiresAt`. */
  async addSupport(
    { workspaceId, userId }: MemberId,
    support: { role: Role; joinedAt: Date; expiresAt: string; reason: string },
  ): Promise<void> {
    const { role, joinedAt, expiresAt, reason } = support
    await this.#em.insert(Member, {
      user_id: userId,
      workspace_id: workspaceId,
      role,
      joined_at: joinedAt,
      expires_at: new Date(expiresAt),
      support_reason: reason,
    })
  }

  /** Locks the memberships of a workspace that are support access, and returns them. */
  async lockSupport(workspaceId: string): Promise<WorkspaceMember[]> {
    const sql = `select ${columns} from members m join users u on u.id = m.user_id
      where m.workspace_id = $1 and m.support_reason is not null
      order by m.user_id for update of m`
    return query(this.#em, sql, [workspaceId])
  }

  /** Marks an invited user as joined. Call it when the user obtains tokens for the workspace. */
  async join({ workspaceId, userId }: MemberId, joinedAt: Date): Promise<void> {
    const invited = { workspace_id: workspaceId, user_id: userId, joined_at: null }
    await this.#em.nativeUpdate(Member, invited, { joined_at: joinedAt })
  }

  /** Changes a membership. Absent fields remain unchanged; null removes the end. */
  async update(
    { workspaceId, userId }: MemberId,
    { role, isGuest, expiresAt }: { role?: Role; isGuest?: boolean; expiresAt?: string | null },
  ): Promise<void> {
    const end = typeof expiresAt === 'string' ? new Date(expiresAt) : expiresAt
    const fields = changedFields({ role, is_guest: isGuest, expires_at: end })
    if (!fields) return
    await this.#em.nativeUpdate(Member, { workspace_id: workspaceId, user_id: userId }, fields)
  }

  /** Changes the roles of many members, and whether they are guests. */
  async changeRoles(members: (MemberId & NewStanding)[]): Promise<void> {
    await query(this.#em, changeRolesSql, toArrays(members))
  }

  /** Locks a membership until the end of the transaction. */
  async lock({ workspaceId, userId }: MemberId): Promise<void> {
    const sql = 'select from members where user_id = $1 and workspace_id = $2 for update'
    await query(this.#em, sql, [userId, workspaceId])
  }

  /** Prevents members from leaving a workspace until the end of the transaction. */
  async keep(workspaceId: string, userIds: string[]): Promise<void> {
    await query(
      this.#em,
      `select from members where user_id = any($2::uuid[]) and workspace_id = $1
       order by user_id for key share`,
      [workspaceId, userIds],
    )
  }

  /** Removes a member with their group memberships, custom roles and shares in the workspace. */
  async remove({ workspaceId, userId }: MemberId): Promise<void> {
    await this.#em.nativeDelete(Member, { workspace_id: workspaceId, user_id: userId })
  }

  /**
   * Locks up to `limit` memberships that have ended until the end of the transaction and returns
   * them: all, or those in some workspaces, or those of one user in them. Skips memberships that
   * another transaction has locked, unless they are limited to workspaces, and those of service
   * accounts, which remain when they have ended.
   */
  lockEnded(limit: number, workspaceIds?: string[], userId?: string): Promise<EndedMember[]> {
    const sql = `${lockEndedSql} ${workspaceIds ? '' : 'skip locked'}`
    return query(this.#em, sql, [limit, workspaceIds, userId])
  }
}

type NewStanding = { role: string; isGuest: boolean }

type Invitation = {
  role: Role
  isGuest: boolean
  invitedBy: string | undefined
  expiresAt: string | undefined
}

/** $1 user ID. */
const hasJoinedAnySql = `
  select from live_members m where m.user_id = $1 and m.joined_at is not null
    and not exists (select from connection_subjects s
      where s.user_id = m.user_id and s.workspace_id = m.workspace_id and s.created_at = m.joined_at)
  limit 1`

/** $1 user IDs, $2 IDs of workspaces, $3 roles, $4 who is a guest, $5 ID of the inviter. */
const inviteAllSql = `
  insert into members (user_id, workspace_id, role, is_guest, invited_by)
  select *, $5::uuid from unnest($1::uuid[], $2::uuid[], $3::text[], $4::boolean[])`

/** $1 user IDs, $2 IDs of workspaces, $3 roles, $4 who is a guest. */
const changeRolesSql = `
  update members m set role = p.role, is_guest = p.is_guest
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::boolean[])
    as p(user_id, workspace_id, role, is_guest)
  where m.user_id = p.user_id and m.workspace_id = p.workspace_id`

/** $1 limit, $2 IDs of workspaces or null for all, $3 user ID or null for all. */
const lockEndedSql = `
  select m.user_id as "userId", m.workspace_id as "workspaceId", u.email, m.role,
    m.expires_at as "expiresAt", m.support_reason as "supportReason"
  from members m join users u on u.id = m.user_id
  where m.expires_at <= statement_timestamp() and u.workspace_id is null
    and ($2::uuid[] is null or m.workspace_id = any($2)) and ($3::uuid is null or m.user_id = $3)
  order by m.expires_at, m.user_id limit $1 for update of m`

const columns = `m.user_id as "userId", m.workspace_id as "workspaceId",
  case when u.workspace_id is null then 'user' else 'service_account' end as kind,
  coalesce(u.email, '') as email, u.name,
  u.avatar_url as "avatarUrl", m.role, m.joined_at as "joinedAt",
  m.expires_at as "expiresAt", m.support_reason as "supportReason", m.is_guest as "isGuest",
  case when m.joined_at is null then (
    select r.status from refused_invitations r
    where r.user_id = m.user_id and r.workspace_id = m.workspace_id
  ) end as "emailRefusal"`

const tables = 'live_members m join users u on u.id = m.user_id'

/** The name of a member that other members may see: an invited user has none. */
const shownName = `case when m.joined_at is null then '' else u.name end`

/**
 * Returns SQL that selects the `MemberProfile` of each row of `source`, which has the columns
 * `user_id`, `workspace_id` and `added_at`. The alias of `source` is `s`. The names and avatars of
 * invited users are empty unless `showsInvited` is set.
 */
export function selectProfilesSql(
  source: string,
  showsInvited: boolean,
  ...otherColumns: string[]
): string {
  const avatar = `case when m.joined_at is null then '' else u.avatar_url end`
  const profileColumns = [
    `s.user_id as "userId", coalesce(u.email, '') as email, s.added_at as "addedAt"`,
    `${showsInvited ? 'u.name' : shownName} as name`,
    `${showsInvited ? 'u.avatar_url' : avatar} as "avatarUrl"`,
  ]
  return `
    select ${[...profileColumns, ...otherColumns].join(', ')}
    from ${source} s
    join live_members m on m.user_id = s.user_id and m.workspace_id = s.workspace_id
    join users u on u.id = s.user_id`
}

function toArrays(members: (MemberId & NewStanding)[]): (string | boolean)[][] {
  return [
    members.map(({ userId }) => userId),
    members.map(({ workspaceId }) => workspaceId),
    members.map(({ role }) => role),
    members.map(({ isGuest }) => isGuest),
  ]
}

function createMemberFilters(workspaceId: string, filter: MemberFilter): Filters {
  const { q, role, guest, showsInvited } = filter
  const filters = createFilters()
  filters.add(workspaceId, (id) => `m.workspace_id = ${id}`)
  filters.add(role, (name) => `m.role = ${name}`)
  filters.add(guest, (isGuest) => `m.is_guest = ${isGuest}`)
  // Where the name of an invited user is hidden, a search must not reveal it either.
  const isNameShown = showsInvited ? '' : 'm.joined_at is not null and '
  addWords(filters, q, (pattern) => {
    const isInName = `(${isNameShown}${matchesText('u.name', pattern)})`
    return `(${matchesText('u.email', pattern)} or ${isInName})`
  })
  return filters
}
