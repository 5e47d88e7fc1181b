import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { type Role, roles } from '../../core/roles.ts'
import { lowerCase } from '../../database/lower-case.ts'
import { query } from '../../database/query.ts'
import { type Claims, maxGroups } from '../claims.ts'

/** Identifies a member by user id and workspace id, or by e-mail address and workspace slug. */
export type MemberKey = { userId: string; workspaceId: string } | { email: string; slug: string }

/** A workspace that a user has joined (`active`) or is invited to. */
export type UserWorkspace = {
  id: string
  name: string
  slug: string
  role: Role
  guest: boolean
  status: 'active' | 'invited'
  /** Who invited the user, if known. */
  inviter: { name: string; email: string } | null
  /** When the membership was created, in seconds since the Unix epoch. */
  createdAt: string
}

/** The active member to whom a token belongs. */
export type TokenOwner = { email: string; role: Role; guest: boolean; slug: string }

/** The names of a member's custom roles and groups, ancestors of the member's groups included. */
export type MembershipNames = { customRoles: string[]; groups: string[] }

/** What tokens state about a member, and the workspaces that a user can sign in to. */
export class ClaimsStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /**
   * Returns the claims of a new access token for an active member: the current role, groups, name
   * and slug, and a new `jti`. Returns undefined if the user is inactive or not a member.
   */
  async findAccessClaims(key: MemberKey): Promise<Claims['access'] | undefined> {
    const [condition, values] =
      'userId' in key
        ? ['u.id = $1 and w.id = $2', [key.userId, key.workspaceId]]
        : ['u.email = $1 and w.slug = $2', [key.email, key.slug]]
    type Row = Omit<Claims['access'], 'jti' | 'guest' | 'groups_overage'> & {
      guest: boolean
      groups: string[]
    }
    const [row] = await query<Row>(this.#em, `${claimsSql} and ${condition}`, values)
    if (!row) return undefined
    const { groups, guest, ...rest } = row
    const claims = { ...rest, ...(guest && { guest }), jti: randomUUID() }
    return groups.length > maxGroups ? { ...claims, groups_overage: true } : { ...claims, groups }
  }

  /**
   * Returns the workspaces of a user: joined workspaces first, then invitations, each by name.
   */
  listWorkspaces(userId: string): Promise<UserWorkspace[]> {
    return query(this.#em, listWorkspacesSql, [userId])
  }

  /** Returns the active member to whom a token belongs, or undefined if the token is denied. */
  async findTokenOwner(token: {
    sub: string
    wid: string
    jti: string
  }): Promise<TokenOwner | undefined> {
    const values = [token.sub, token.wid, token.jti]
    const [owner] = await query<TokenOwner>(this.#em, findTokenOwnerSql, values)
    return owner
  }

  /**
   * Returns the names of a member's custom roles and groups, in order. A custom role with the name
   * of a workspace role is omitted, because an application could not tell them apart.
   */
  async findNames(userId: string, workspaceId: string): Promise<MembershipNames> {
    const values = [userId, workspaceId, roles]
    const [names] = await query<MembershipNames>(this.#em, findNamesSql, values)
    return names as MembershipNames
  }
}

/** The claims of an active member. Reads one group more than a token may list. */
const claimsSql = `
  select u.id as sub, coalesce(u.email, '') as email, u.name, w.id as wid, w.slug as wslug, m.role as wrole,
    m.is_guest as guest,
    array(select g.group_id::text from group_members g
      where g.user_id = u.id and g.workspace_id = w.id
      order by 1 limit ${maxGroups + 1}) as groups
  from live_members m join users u on u.id = m.user_id join workspaces w on w.id = m.workspace_id
  where u.is_active`

/** $1 user ID. */
const listWorkspacesSql = `
  select w.id, w.name, w.slug, m.role, m.is_guest as guest,
    case when m.joined_at is null then 'invited' else 'active' end as status,
    case when i.id is not null then json_build_object('name', i.name, 'email', i.email) end
      as inviter,
    extract(epoch from m.created_at)::text as "createdAt"
  from live_members m join workspaces w on w.id = m.workspace_id
  left join users i on i.id = m.invited_by
  where m.user_id = $1 order by m.joined_at is null, w.name, w.id`

/** $1 user ID, $2 workspace ID, $3 token ID. */
const findTokenOwnerSql = `
  select coalesce(u.email, '') as email, m.role, m.is_guest as guest, w.slug
  from users u join live_members m on m.user_id = u.id join workspaces w on w.id = m.workspace_id
  where u.id = $1 and m.workspace_id = $2 and u.is_active
    and not exists (select from denied_tokens d where d.token_id = $3)`

/** $1 user ID, $2 workspace ID, $3 array of the workspace roles. */
const findNamesSql = `
  select
    array(select r.name from custom_roles r
      where r.id in (
          select role_id from custom_role_members where user_id = $1 and workspace_id = $2
          union
          select rg.role_id from group_members g
          join custom_role_groups rg on rg.group_id = g.group_id
          where g.user_id = $1 and g.workspace_id = $2
        ) and ${lowerCase('trim(r.name)')} <> all($3)
      order by r.name) as "customRoles",
    array(select g.name from group_members m join groups g on g.id = m.group_id
      where m.user_id = $1 and m.workspace_id = $2 order by g.name) as groups`
