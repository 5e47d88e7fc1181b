import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '../../database/query.ts'

/** The names by which services know users and groups. */
export type UserNames = { emails: string[]; externalIds: string[] }

/** IDs by name. E-mail addresses are normalized. */
export type UserIds = { byEmail: Map<string, string>; byExternalId: Map<string, string> }

export type GroupName = { workspaceId: string; name: string }

/** How people know a user or group; a group has no e-mail address. */
export type PrincipalName = { id: string; name: string; email: string | null }

/** A user or group who must be in a workspace. */
export type PlacedPrincipal = { type: 'user' | 'group'; id: string; workspaceId: string }

/** Finds users and groups by the names that services know them by. */
export class PrincipalStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Returns the IDs of the users that exist. */
  async findUsers({ emails, externalIds }: UserNames): Promise<UserIds> {
    const ids: UserIds = { byEmail: new Map(), byExternalId: new Map() }
    if (emails.length + externalIds.length === 0) return ids
    type Row = { id: string; email: string; externalId: string | null }
    const rows = await query<Row>(this.#em, usersSql, [emails, externalIds])
    for (const { id, email, externalId } of rows) {
      ids.byEmail.set(email, id)
      if (externalId !== null) ids.byExternalId.set(externalId, id)
    }
    return ids
  }

  /** Returns the IDs of the groups of workspaces, in the order of the names; undefined for unknown ones. */
  async findGroups(groups: GroupName[]): Promise<(string | undefined)[]> {
    if (groups.length === 0) return []
    const rows = await query<{ id: string | null }>(this.#em, groupsSql, [
      groups.map(({ workspaceId }) => workspaceId),
      groups.map(({ name }) => name),
    ])
    return rows.map(({ id }) => id ?? undefined)
  }

  /** Returns the names of users and groups by ID, without those that do not exist. */
  async findNames(ids: string[]): Promise<Map<string, PrincipalName>> {
    const rows = await query<PrincipalName>(this.#em, namesSql, [ids])
    return new Map(rows.map((row) => [row.id, row]))
  }

  /** Returns for each item whether its user or group is in the workspace. */
  async areInWorkspaces(items: PlacedPrincipal[]): Promise<boolean[]> {
    const rows = await query<{ isIn: boolean }>(this.#em, inWorkspacesSql, [
      items.map(({ type }) => type === 'user'),
      items.map(({ id }) => id),
      items.map(({ workspaceId }) => workspaceId),
    ])
    return rows.map(({ isIn }) => isIn)
  }
}

/** $1 e-mail addresses, $2 external IDs. */
const usersSql = `
  select id, email, external_id as "externalId" from users where email = any($1::text[])
  union
  select id, email, external_id from users where external_id = any($2::text[])`

/** $1 IDs of workspaces, $2 names. Returns the `id` of each group, or null, in this order. */
const groupsSql = `
  select g.id from unnest($1::uuid[], $2::text[]) with ordinality item (workspace_id, name, position)
  left join groups g using (workspace_id, name)
  order by position`

/** $1 IDs. Returns PrincipalNames. */
const namesSql = `
  select id, name, email from users where id = any($1::uuid[])
  union all
  select id, name, null from groups where id = any($1::uuid[])`

/** $1 whether each is a user, $2 IDs, $3 IDs of workspaces. Returns `isIn` in this order. */
const inWorkspacesSql = `
  select case when is_user
    then exists (
      select from live_members m
      where m.workspace_id = item.workspace_id and m.user_id = item.id
    )
    else exists (select from groups g where g.workspace_id = item.workspace_id and g.id = item.id)
    end as "isIn"
  from unnest($1::bool[], $2::uuid[], $3::uuid[])
    with ordinality item (is_user, id, workspace_id, position)
  order by position`
