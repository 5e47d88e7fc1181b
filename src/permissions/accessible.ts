import type {
  AccessibleResourcesRequest,
  AccessibleResourcesResponse,
} from '../../gen/daikon/v1/permissions.ts'
import { defineListDecision, type ListDecision } from './decision.ts'
import { type LoadAccessible, loadPage } from './load-accessible.ts'

/**
 * Creates the handler that lists the IDs of the resources for which a check would allow the action,
 * in ascending order, page by page. It ignores `workspace_id`, because authorization ensures that
 * it is the workspace of the token. If `requiresKey` is false, the list does not depend on a
 * service key.
 */
export function createAccessible(
  loadAccessible: LoadAccessible,
  { requiresKey }: { requiresKey: boolean },
): ListDecision<AccessibleResourcesRequest, AccessibleResourcesResponse> {
  return defineListDecision({
    async load({ service_name, resource_type, action, limit = 1000, page_token }, caller, scope) {
      const keyHash = requiresKey ? (caller.keyHash ?? '') : undefined
      const query = { ...caller, keyHash, service_name, resource_type, action, limit, page_token }
      const { status, page } = await loadPage(loadAccessible, query, scope)
      return { status, respond: () => page }
    },
  })
}
