import type { PresentedDelegation } from '../../core/request-context.ts'
import type { Statements } from '../../database/statement-pool.ts'

/** Returns the agent of a delegation, or undefined if there is no such delegation. */
export async function findAgent(
  statements: Statements,
  delegationId: string,
): Promise<PresentedDelegation['agent'] | undefined> {
  const [row] = await statements.rows<[PresentedDelegation['agent']['type'], string]>(
    'agent of delegation',
    agentSql,
    [delegationId],
  )
  return row && { type: row[0], id: row[1] }
}

/** $1 delegation ID. */
const agentSql = 'select agent_type, agent_id from delegations where id = $1'
