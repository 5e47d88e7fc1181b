import type { Delegation } from '../../gen/daikon/v1/delegations.ts'
import { isoTime } from '../database/sql-values.ts'
import type { StoredDelegation } from './store/delegation-store.ts'

/** Converts a delegation to a message. */
export function viewDelegation(delegation: StoredDelegation): Delegation {
  const { agentType, agentId, agentName, actions, resourceTypes, resources } = delegation
  return {
    id: delegation.id,
    user_id: delegation.userId,
    agent: { type: agentType, id: agentId, name: agentName },
    workspace_id: delegation.workspaceId,
    service_name: delegation.serviceName,
    actions: viewList(actions),
    resource_types: viewList(resourceTypes),
    resources: viewList(
      resources?.map(({ resourceType, resourceId, externalId }) => ({
        resource_type: resourceType,
        resource_id: resourceId,
        ...(externalId !== null && { external_id: externalId }),
      })) ?? null,
    ),
    reason: delegation.reason,
    expires_at: isoTime(delegation.expiresAt),
    created_at: isoTime(delegation.createdAt),
    ...(delegation.lastUsedAt !== null && { last_used_at: isoTime(delegation.lastUsedAt) }),
  }
}

/** Converts a list to a message, and null, which stands for all, to none. */
function viewList<Value>(values: Value[] | null): { values: Value[] } | undefined {
  return values === null ? undefined : { values }
}
