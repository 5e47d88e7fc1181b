import { isoTime } from '../database/sql-values.ts'
import type { StoredDelegation } from './store/delegation-store.ts'

/** What identifies a delegation in the activity log. */
export type RecordedDelegation = Pick<
  StoredDelegation,
  'id' | 'userId' | 'agentType' | 'agentId' | 'workspaceId' | 'serviceName' | 'expiresAt'
>

/** Returns the event of the end of a delegation. */
export function delegationEvent<Action extends 'delegation.ended' | 'delegation.expired'>(
  action: Action,
  delegation: RecordedDelegation,
) {
  const { id, workspaceId } = delegation
  return { action, targetId: id, workspaceId, detail: delegationDetail(delegation) }
}

/** Returns the detail that all events of a delegation have. */
export function delegationDetail(delegation: RecordedDelegation) {
  const { userId, agentType, agentId, serviceName, expiresAt } = delegation
  return {
    user_id: userId,
    agent_type: agentType,
    agent_id: agentId,
    service_name: serviceName,
    expires_at: isoTime(expiresAt),
  }
}
