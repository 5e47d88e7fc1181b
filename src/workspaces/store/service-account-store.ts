import type { EntityManager } from '@mikro-orm/postgresql'
import { changedFields } from '../../core/changed-fields.ts'
import type { Role } from '../../core/roles.ts'
import { User } from '../../database/entities/people.ts'
import { query } from '../../database/query.ts'
import type { Timestamp } from '../../database/sql-values.ts'

/** Identifies a service account. */
export type ServiceAccountId = { workspaceId: string; id: string }

/** A service account. `expiresAt` is null unless the account ends. */
export type ServiceAccount = ServiceAccountId & {
  name: string
  role: Role
  isActive: boolean
  /** Whether the end of the account has passed. */
  hasEnded: boolean
  expiresAt: Timestamp | null
  createdAt: Timestamp
}

/** The service accounts of workspaces. Their memberships are in `MemberStore`. */
export class ServiceAccountStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Returns the service accounts of a workspace, by name. */
  list(workspaceId: string): Promise<ServiceAccount[]> {
    const sql = `select ${columns} from service_accounts where workspace_id = $1 order by name, id`
    return query(this.#em, sql, [workspaceId])
  }

  async find({ workspaceId, id }: ServiceAccountId): Promise<ServiceAccount | undefined> {
    const sql = `select ${columns} from service_accounts where workspace_id = $1 and id = $2`
    const [account] = await query<ServiceAccount>(this.#em, sql, [workspaceId, id])
    return account
  }

  async exists(id: string): Promise<boolean> {
    const sql = 'select from users where id = $1 and workspace_id is not null'
    return (await query(this.#em, sql, [id])).length > 0
  }

  /**
   * Locks a service account until the end of the transaction, which excludes changes to it and new
   * credentials, and returns it.
   */
  async lock(id: ServiceAccountId): Promise<ServiceAccount | undefined> {
    await query(this.#em, 'select from users where id = $1 and workspace_id = $2 for update', [
      id.id,
      id.workspaceId,
    ])
    return this.find(id)
  }

  async count(workspaceId: string): Promise<number> {
    const sql = 'select count(*)::int as count from users where workspace_id = $1'
    const [row] = await query<{ count: number }>(this.#em, sql, [workspaceId])
    return row?.count ?? 0
  }

  /** Inserts the user of a service account, who is not a member yet. */
  async insert({
    workspaceId,
    ...user
  }: ServiceAccountId & { name: string; created_at: Date }): Promise<void> {
    await this.#em.insert(User, { ...user, email: null, workspace_id: workspaceId })
  }

  /** Changes the name and the status. Absent fields remain unchanged. */
  async update(id: string, changes: { name?: string; isActive?: boolean }): Promise<void> {
    const { name, isActive } = changes
    const fields = changedFields({ name, is_active: isActive })
    if (fields) await this.#em.nativeUpdate(User, { id }, fields)
  }

  /** Returns how many resources a service account owns. */
  async countResources(id: string): Promise<number> {
    const sql = 'select count(*)::int as count from resources where owner_id = $1'
    const [row] = await query<{ count: number }>(this.#em, sql, [id])
    return row?.count ?? 0
  }

  /** Transfers all resources of a service account to another member. */
  async transferResources(id: string, toId: string): Promise<void> {
    await query(this.#em, 'update resources set owner_id = $2 where owner_id = $1', [id, toId])
  }

  /** Deletes a service account with its membership. It must not own resources. */
  async delete(id: string): Promise<void> {
    await this.#em.nativeDelete(User, { id })
  }
}

const columns = `id, workspace_id as "workspaceId", name, role, is_active as "isActive",
  expires_at as "expiresAt", coalesce(expires_at <= statement_timestamp(), false) as "hasEnded",
  created_at as "createdAt"`
