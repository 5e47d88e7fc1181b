import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '../../database/query.ts'
import type { AgentType } from './delegation-store.ts'

/** What may be an agent, in some workspaces. */
export type PossibleAgent = {
  type: AgentType
  id: string
  name: string
  /** The only workspace in which it may be an agent, if it is not all. */
  workspaceId: string | null
  /** The redirect URIs of a client app, in alphabetical order. */
  redirectUris: string[]
}

/** A workspace of a person. */
export type OwnWorkspace = {
  id: string
  name: string
  /** Whether it allows delegations. */
  isAllowed: boolean
}

/** What a person reads before they make a delegation. */
export class DelegationPreviewStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  async findAgent(id: string): Promise<PossibleAgent | undefined> {
    const [agent] = await query<PossibleAgent>(this.#em, findAgentSql, [id])
    return agent
  }

  /** Returns the workspaces that a person has joined, or the given one of them, by name. */
  listWorkspaces(userId: string, workspaceId: string | null): Promise<OwnWorkspace[]> {
    return query(this.#em, listWorkspacesSql, [userId, workspaceId, maxWorkspaces])
  }
}

/** The maximum number of workspaces that a person can choose from. */
const maxWorkspaces = 200

/** $1 ID. Returns PossibleAgents. */
const findAgentSql = `
  select 'service_account' as type, u.id, u.name, u.workspace_id as "workspaceId",
    '{}'::text[] as "redirectUris"
  from users u
  join live_members m on m.user_id = u.id and m.workspace_id = u.workspace_id
  where u.id = $1 and u.is_active
  union all
  select 'client', a.id, a.name, a.workspace_id,
    array(select uri from client_redirect_uris where app_id = a.id order by uri)
  from client_apps a
  where a.id = $1 and a.is_active and a.type = 'confidential' and a.service_account_id is null`

/** $1 user, $2 workspace or null, $3 limit. Returns OwnWorkspaces. */
const listWorkspacesSql = `
  select w.id, w.name, w.delegations as "isAllowed"
  from live_members m join workspaces w on w.id = m.workspace_id
  where m.user_id = $1 and m.joined_at is not null and ($2::uuid is null or w.id = $2)
  order by lower(w.name), w.id
  limit $3`
