import type {
  AccessibleResourcesRequest,
  AccessibleResourcesResponse,
} from '../../gen/daikon/v1/permissions.ts'
import { grant, sufficientGrants } from './access.ts'
import { AccessiblePage } from './accessible-page.ts'
import { type Decision, defineDecision } from './decision.ts'
import type { LoadAccessible } from './load-accessible.ts'
import { firstId, readPageToken } from './page-token.ts'

/** `workspace_id` is not used: authorization requires that it is the workspace of the token. */
type AccessibleRequest = Omit<AccessibleResourcesRequest, 'workspace_id'>

/**
 * Lists the ids of the resources for which a check would allow the action, ascending, page by page. The
 * facts about the action are loaded with the caller's status, which requires no existing resource.
 */
export function createAccessible(
  loadAccessible: LoadAccessible,
): Decision<AccessibleRequest, AccessibleResourcesResponse> {
  return defineDecision({
    checks: ({ service_name, resource_type, action }) => [
      { service_name, resource_type, resource_id: firstId, action },
    ],
    async handle({ principal: { user }, grants }, request) {
      const { service_name, resource_type, action, limit = 1000 } = request
      const sufficient = sufficientGrants(user?.role, action, grants[0] ?? 0)
      if (!user || sufficient === 0) return { resource_ids: [], has_full_access: false }

      const coversKind = sufficient === grant.registered
      const { joinedIds, isWithoutPrivate } = await loadAccessible({
        workspaceId: user.workspaceId,
        userId: user.id,
        service_name,
        resource_type,
        grants: sufficient,
        firstId: readPageToken(request.page_token),
        limit: limit + 1,
        checksPrivate: action === 'view' && !coversKind,
      })
      return new AccessiblePage(joinedIds, limit, coversKind || isWithoutPrivate)
    },
  })
}
