import type { EntityManager } from '@mikro-orm/postgresql'
import { changedFields } from '../../core/changed-fields.ts'
import type { Role } from '../../core/roles.ts'
import { Workspace } from '../../database/entities/people.ts'
import { createFilters } from '../../database/filters.ts'
import { findPage, type Page, type PageRequest } from '../../database/page.ts'
import { query } from '../../database/query.ts'
import { addSearch } from '../../database/search.ts'
import type { Timestamp } from '../../database/sql-values.ts'
import { type Switches, toColumns } from './switch-columns.ts'

/** A workspace, and the role of one user in it: null if the user is not a member. */
export type WorkspaceOfUser = Switches & {
  id: string
  name: string
  slug: string
  description: string
  role: Role | null
  createdAt: Timestamp
}

/** The rows of a workspace that the function `read_workspace_count` counts. */
export type WorkspaceCount = 'members' | 'invitations' | 'groups'

/** The workspaces. */
export class WorkspaceStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Finds a workspace, with the role of a user in it. */
  async find(id: string, userId?: string): Promise<WorkspaceOfUser | undefined> {
    const sql = `select ${columns} from ${tables} where w.id = $2`
    const [workspace] = await query<WorkspaceOfUser>(this.#em, sql, [userId, id])
    return workspace
  }

  /** Finds the ID of the workspace with a slug. */
  async findIdBySlug(slug: string): Promise<string | undefined> {
    return (await this.#em.findOne(Workspace, { slug }))?.id
  }

  async exists(id: string): Promise<boolean> {
    return (await this.#em.count(Workspace, { id })) > 0
  }

  /** Returns the workspaces of a user, by name. */
  listOfUser(userId: string): Promise<WorkspaceOfUser[]> {
    return query(
      this.#em,
      `select ${columns} from ${tables} where m.user_id is not null order by w.name, w.id`,
      [userId],
    )
  }

  /** Returns a page of all workspaces, by slug; `q` matches names and slugs. */
  listPage(
    page: PageRequest,
    userId: string | undefined,
    q: string | undefined,
  ): Promise<Page<WorkspaceOfUser>> {
    const filters = createFilters(userId)
    addSearch(filters, q, 'w.slug', 'w.name')
    return findPage(this.#em, page, {
      select: columns,
      from: `${tables} ${filters.where()}`,
      orderBy: 'w.slug',
      values: filters.values,
    })
  }

  /** Returns the workspaces that have one of these slugs. */
  findBySlugs(slugs: string[]): Promise<{ id: string; slug: string }[]> {
    return query(this.#em, 'select id, slug from workspaces where slug = any($1)', [slugs])
  }

  /** Returns the IDs, names and slugs of all workspaces, by name. */
  listNames(): Promise<{ id: string; name: string; slug: string }[]> {
    return query(this.#em, 'select id, name, slug from workspaces order by name, id')
  }

  async insert(workspace: {
    id: string
    name: string
    slug: string
    description?: string
  }): Promise<void> {
    await this.#em.insert(Workspace, workspace)
  }

  async update(
    id: string,
    { name, description, ...switches }: Partial<Switches> & { name?: string; description?: string },
  ): Promise<void> {
    const fields = changedFields({ name, description, ...toColumns(switches) })
    if (fields) await this.#em.nativeUpdate(Workspace, { id }, fields)
  }

  /** Returns the names of the services that have resources in a workspace. */
  async findServices(id: string): Promise<string[]> {
    const rows = await query<{ name: string }>(this.#em, servicesSql, [id])
    return rows.map(({ name }) => name)
  }

  /** Deletes a workspace with its members, groups, roles, resources and sessions. */
  async delete(id: string): Promise<void> {
    await this.#em.nativeDelete(Workspace, { id })
  }

  /**
   * Locks a workspace until the end of the transaction. Returns its ID in the form in which it is
   * stored, or undefined if the workspace does not exist.
   */
  async lock(id: string): Promise<string | undefined> {
    const sql = 'select id from workspaces where id = $1 for no key update'
    const [workspace] = await query<{ id: string }>(this.#em, sql, [id])
    return workspace?.id
  }

  /**
   * Returns how many members, pending invitations or groups a workspace has. Service accounts do not
   * count as members.
   */
  async count(id: string, counted: WorkspaceCount): Promise<number> {
    const sql = `select read_workspace_count($1, $2)::int - case when $2 = 'members'
      then (select count(*)::int from users where workspace_id = $1) else 0 end as count`
    const [row] = await query<{ count: number }>(this.#em, sql, [id, counted])
    return row?.count ?? 0
  }

  /**
   * Returns how many resources a workspace has. Near the quota, locks the count until the end of the
   * transaction, so that concurrent calls cannot exceed the quota together.
   */
  async countResources(id: string, quota: number): Promise<number> {
    const sql = 'select count_resources_for_quota($1, $2)::int as count'
    const [row] = await query<{ count: number }>(this.#em, sql, [id, quota])
    return row?.count ?? 0
  }
}

/** $1 workspace ID. Probes the index for each kind, because a workspace may have many resources. */
const servicesSql = `
  select distinct k.service_name as name from resource_kinds k
  where exists (select from resources r where r.workspace_id = $1 and r.kind_id = k.id)
  order by name`

const columns = `w.id, w.name, w.slug, w.description, m.role, w.created_at as "createdAt",
  w.support_access as "supportAccess", w.email_sign_in as "emailSignIn",
  w.third_party_clients as "thirdPartyClients", w.delegations`

/** $1 ID of the user whose role is selected, or null for none. */
const tables = 'workspaces w left join live_members m on m.workspace_id = w.id and m.user_id = $1'
