import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'

/** A row of `delegations`, as far as tests set it. */
export type DelegationRow = {
  id?: string
  user_id: string
  workspace_id: string
  service_name: string
  actions?: string[] | null | undefined
  resource_types?: string[] | null | undefined
  /** The `permission_id` of resources. */
  resources?: string[] | null | undefined
  agent_type?: 'service_account' | 'client'
  agent_id?: string
  agent_name?: string
  expires_at?: Date
  ended_at?: Date
}

/** Inserts a delegation, which covers `view` unless the row says otherwise. Returns its ID. */
export async function insertDelegation(pool: Pool, row: DelegationRow): Promise<string> {
  const { id = randomUUID(), ...set } = row
  const lists = { actions: null, resource_types: null, resources: null, ...set }
  const isEmpty = !lists.actions && !lists.resource_types && !lists.resources
  const columns = {
    id,
    agent_type: 'service_account',
    agent_id: randomUUID(),
    agent_name: 'report-bot',
    reason: 'test',
    created_at: new Date(),
    expires_at: new Date(Date.now() + 3_600_000),
    ...lists,
    ...(isEmpty && { actions: ['view'] }),
  }
  const names = Object.keys(columns)
  const values = names.map((_, index) => `$${index + 1}`)
  await pool.query(
    `insert into delegations (${names.join(', ')}) values (${values.join(', ')})`,
    Object.values(columns),
  )
  return id
}
