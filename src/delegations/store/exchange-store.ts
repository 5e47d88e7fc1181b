import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '../../database/query.ts'
import type { Timestamp } from '../../database/sql-values.ts'
import { liveDelegation } from '../../permissions/engine/subjects/delegation.ts'
import type { Agent } from './delegation-store.ts'

/** A delegation that a token is issued for. */
export type UsableDelegation = {
  id: string
  userId: string
  workspaceId: string
  serviceName: string
  expiresAt: Timestamp
}

/** Which delegations a request may use. */
export type UsableFilter = {
  agent: Agent
  /** Absent for any of the user, which must then be set. */
  id: string | undefined
  userId: string | undefined
  workspaceId: string | undefined
  serviceName: string | undefined
  /** The tokens that prove who the user and the agent are. */
  tokenIds: string[]
}

/** A token that ends with the token of the user that it was issued for. */
export type DelegatedTokenRecord = { id: string; subjectTokenId: string; expiresAt: Date }

/** The delegations that tokens are issued for, and these tokens. */
export class ExchangeStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /**
   * Returns the only delegation that has not ended and fits. Undefined if there is none or several, or if one
   * of the tokens has been denied.
   */
  async findUsable(filter: UsableFilter): Promise<UsableDelegation | undefined> {
    const { agent, id, userId, workspaceId, serviceName, tokenIds } = filter
    const values = [agent.type, agent.id, id ?? userId, userId, workspaceId, serviceName, tokenIds]
    const sql = id === undefined ? findByUserSql : findByIdSql
    const [only, ...others] = await query<UsableDelegation>(this.#em, sql, values)
    return others.length === 0 ? only : undefined
  }

  /** Returns the service of a delegation that has not ended. */
  async findService(id: string): Promise<string | undefined> {
    const [row] = await query<{ service: string }>(this.#em, findServiceSql, [id])
    return row?.service
  }

  /**
   * Records a token before it is issued. Returns false if the token of the user has been denied. Requires a
   * transaction, of which it is the first statement, since it waits for a lock.
   */
  async record({ id, subjectTokenId, expiresAt }: DelegatedTokenRecord): Promise<boolean> {
    await query(this.#em, lockSql, [subjectTokenId])
    const inserted = await query(this.#em, insertSql, [id, subjectTokenId, expiresAt])
    return inserted.length > 0
  }
}

/** The condition that a user is an active member of the workspace of the row `d`. */
function isMember(id: string): string {
  return `exists (
    select from live_members m join users u on u.id = m.user_id
    where m.user_id = ${id} and m.workspace_id = d.workspace_id and m.joined_at is not null
      and u.is_active)`
}

/**
 * $1 type of the agent, $2 its ID, $3 ID of the delegation or of its user, by the condition, $4 user,
 * $5 workspace, $6 service, each null for any, $7 tokens. Returns at most two UsableDelegations.
 */
function findUsableSql(condition: string): string {
  return `
  select d.id, d.user_id as "userId", d.workspace_id as "workspaceId",
    d.service_name as "serviceName", d.expires_at as "expiresAt"
  from delegations d join workspaces w on w.id = d.workspace_id and w.delegations
  where ${condition} = $3 and ${liveDelegation} and d.agent_type = $1 and d.agent_id = $2
    and ($4::uuid is null or d.user_id = $4) and ($5::uuid is null or d.workspace_id = $5)
    and ($6::text is null or d.service_name = $6) and ${isMember('d.user_id')}
    and (d.agent_type <> 'service_account' or ${isMember('d.agent_id')})
    and not exists (select from denied_tokens t where t.token_id = any($7::uuid[]))
  limit 2`
}

const findByIdSql = findUsableSql('d.id')
const findByUserSql = findUsableSql('d.user_id')

/** $1 ID of a delegation. */
const findServiceSql = `select d.service_name as service from delegations d where d.id = $1 and ${liveDelegation}`

/** $1 ID of the token of the user (migration 106). */
const lockSql = 'select pg_advisory_xact_lock(lock_key_of_subject_token($1::uuid))'

/** $1 token ID, $2 ID of the token of the user, $3 expiry. */
const insertSql = `
  insert into delegated_tokens (token_id, subject_token_id, expires_at)
  select $1::uuid, $2::uuid, $3::timestamptz
  where not exists (select from denied_tokens where token_id = $2)
  returning token_id`
