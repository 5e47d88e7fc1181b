import type { EntityManager } from '@mikro-orm/postgresql'
import { newId } from '../../core/new-id.ts'
import { query } from '../../database/query.ts'
import type { Timestamp } from '../../database/sql-values.ts'
import { hasRoleSql } from '../engine/statements/status.ts'
import { liveDelegation } from '../engine/subjects/delegation.ts'

/** An action of a service that custom roles can grant. */
export type RegisteredAction = {
  id: string
  serviceName: string
  name: string
  description: string
  registeredAt: Timestamp
}

/** An action that `register` inserted or updated. */
export type ChangedAction = { id: string; name: string; isNew: boolean }

/** The actions that services register. */
export class ActionStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /**
   * Inserts actions of a service or updates their descriptions. Returns those that changed, in order
   * of their names.
   */
  async register(
    serviceName: string,
    actions: { name: string; description: string }[],
  ): Promise<ChangedAction[]> {
    const rows = actions.map((action) => ({ id: newId(), ...action }))
    const newIds = new Set(rows.map(({ id }) => id))
    const changed = await query<{ id: string; name: string }>(this.#em, upsertSql, [
      serviceName,
      JSON.stringify(rows),
    ])
    return changed.map((action) => ({ ...action, isNew: newIds.has(action.id) }))
  }

  /** Returns the actions of one service, or of all services, by service and name. */
  list(serviceName?: string): Promise<RegisteredAction[]> {
    return query(this.#em, listSql, [serviceName])
  }
}

/**
 * $1 service name, $2 JSON array of `id`, `name`, `description`. Inserts actions or updates their
 * descriptions, and returns `id` and `name` of those that changed. Sorts them so that concurrent
 * calls do not deadlock.
 */
const upsertSql = `
  insert into service_actions as existing (id, service_name, name, description)
  select id, $1, name, description
  from jsonb_to_recordset($2::jsonb) as item (id uuid, name text, description text)
  order by name
  on conflict (service_name, name) do update set description = excluded.description
  where existing.description <> excluded.description
  returning id, name`

/** $1 service name, or null for the actions of all services. */
const listSql = `
  select id, service_name as "serviceName", name, description, registered_at as "registeredAt"
  from service_actions
  where $1::text is null or service_name = $1
  order by service_name, name`

/**
 * $1 service name, $2 user ID, $3 workspace ID. Returns the names of the actions that custom roles
 * of the user and of their groups grant.
 */
export const grantedActionsSql = createGrantedActionsSql('')

/** $1 to $3 as above, $4 delegation ID. Returns those of them that the delegation covers. */
export const coveredActionsSql = createGrantedActionsSql(`
    and exists (
      select from delegations d
      where d.id = $4 and ${liveDelegation}
        and d.workspace_id = $3 and d.service_name = $1
        and (d.actions is null or a.name = any(d.actions))
    )`)

function createGrantedActionsSql(isCovered: string): string {
  return `
  select name from service_actions a
  where service_name = $1 and ${hasRoleSql('a.id', '$2', '$3')}${isCovered}
  order by name`
}
