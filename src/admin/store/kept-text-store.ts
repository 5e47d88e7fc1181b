import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '../../database/query.ts'

/**
 * The rows in which services and customers write texts of their own, by what they are. The larger ones
 * come last.
 */
const sources = {
  workspaces: 'workspaces',
  groups: 'groups',
  custom_roles: 'custom_roles',
  memberships: 'members',
  service_accounts: 'users where workspace_id is not null',
  api_keys: 'api_keys',
  service_apps: 'service_apps',
  client_apps: 'client_apps',
  management_apps: 'management_apps',
  connections: 'connections',
  webhooks: 'webhooks',
  conditions: 'resource_conditions',
  directory_entries: 'scim_users',
  delegations: 'delegations',
  links: 'resource_links',
  shares: 'shares',
  resources: 'resources',
  activity_entries: 'activity',
}

export type TextKind = keyof typeof sources

/** The texts that services and customers have written. */
export class KeptTextStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  kinds(): TextKind[] {
    return Object.keys(sources) as TextKind[]
  }

  /** Returns how many rows of a kind contain a text that matches. Reads all of them. */
  async count(kind: TextKind, pattern: string): Promise<number> {
    const sql = `select count(*)::int as count from (select * from ${sources[kind]}) r
      where to_jsonb(r)::text ~* $1`
    const [row] = await query<{ count: number }>(this.#em, sql, [pattern])
    return row?.count ?? 0
  }
}
