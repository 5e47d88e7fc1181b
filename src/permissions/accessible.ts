import type {
  AccessibleResourcesRequest,
  AccessibleResourcesResponse,
} from '../../gen/daikon/v1/permissions.ts'
import { AccessiblePage } from './accessible-page.ts'
import { defineListDecision, type ListDecision } from './decision.ts'
import type { LoadAccessible } from './load-accessible.ts'
import { readPageToken } from './page-token.ts'

/**
 * Lists the ids of the resources for which a check would allow the action, ascending, page by page.
 * `workspace_id` is not used: authorization requires that it is the workspace of the token. Callers without
 * a service key list what is theirs unless `requiresKey`.
 */
export function createAccessible(
  loadAccessible: LoadAccessible,
  { requiresKey }: { requiresKey: boolean },
): ListDecision<AccessibleResourcesRequest, AccessibleResourcesResponse> {
  return defineListDecision({
    async load({ service_name, resource_type, action, limit = 1000, page_token }, caller, scope) {
      const { status, joinedIds, hasFullAccess } = await loadAccessible(
        {
          ...caller,
          keyHash: requiresKey ? (caller.keyHash ?? '') : undefined,
          service_name,
          resource_type,
          action,
          firstId: readPageToken(page_token),
          limit: limit + 1,
        },
        scope,
      )
      return { status, respond: () => new AccessiblePage(joinedIds, limit, hasFullAccess) }
    },
  })
}
