import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '../../database/query.ts'

/** A connection that a user must sign in through. With `breakGlass`, owners may sign in without it. */
export type EnforcedConnection = { id: string; breakGlass: boolean; isOwner: boolean }

/**
 * Which workspaces require a sign-in through their connection, and which refuse codes by e-mail. Identity
 * reads it, so that a server without connections or codes keeps the requirement.
 */
export class EnforcementStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Returns the connection that a user must sign in to a workspace through, if there is one. */
  async find(workspaceId: string, userId: string): Promise<EnforcedConnection | undefined> {
    const values = [workspaceId, userId]
    const [enforced] = await query<EnforcedConnection>(this.#em, findEnforcedSql, values)
    return enforced
  }

  /** Returns the ID of the connection that people with an address in a domain must sign in through. */
  async findByDomain(domain: string): Promise<string | undefined> {
    const [enforced] = await query<{ id: string }>(this.#em, findByDomainSql, [domain])
    return enforced?.id
  }

  /** Returns those of some workspaces that refuse sessions that began with a code by e-mail. */
  async listRefusingCodes(workspaceIds: string[]): Promise<string[]> {
    const rows = await query<{ id: string }>(this.#em, refusingCodesSql, [workspaceIds])
    return rows.map(({ id }) => id)
  }
}

/** $1 domain. */
const findByDomainSql = `
  select c.id from connection_domains d
  join connections c on c.id = d.connection_id and c.is_active and c.enforced
  where d.domain = $1 and d.verified_at is not null
    and not exists (select from deleted_workspaces w where w.id = c.workspace_id)`

/** $1 workspaces. */
const refusingCodesSql =
  'select id from workspaces where id = any($1::uuid[]) and not email_sign_in'

/** $1 workspace, $2 user. */
const findEnforcedSql = `
  select c.id, c.break_glass as "breakGlass", coalesce(m.role = 'owner', false) as "isOwner"
  from users u
  join connection_domains d
    on d.domain = split_part(u.email, '@', 2) and d.workspace_id = $1 and d.verified_at is not null
  join connections c on c.id = d.connection_id and c.is_active and c.enforced
  left join live_members m on m.workspace_id = $1 and m.user_id = u.id and m.joined_at is not null
  where u.id = $2`
