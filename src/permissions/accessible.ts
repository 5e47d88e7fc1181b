import type {
  AccessibleResourcesRequest,
  AccessibleResourcesResponse,
} from '../../gen/daikon/v1/permissions.ts'
import { defineListDecision, type ListDecision } from './decision.ts'
import { type LoadAccessible, loadPage } from './load-accessible.ts'

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
      const keyHash = requiresKey ? (caller.keyHash ?? '') : undefined
      const query = { ...caller, keyHash, service_name, resource_type, action, limit, page_token }
      const { status, page } = await loadPage(loadAccessible, query, scope)
      return { status, respond: () => page }
    },
  })
}
