import type {
  AccessibleResourcesRequest,
  AccessibleResourcesResponse,
} from '../../gen/daikon/v1/permissions.ts'
import type { DecisionHandler } from './decision-handler.ts'
import { splitIds } from './engine/lists/list.ts'
import { readPageToken, requireOfContext, writePageToken } from './engine/lists/page-token.ts'

const defaultLimit = 1000

/**
 * Lists the IDs of the resources for which a check would allow the action, in ascending order, page
 * by page. Authorization ensures that the `workspace_id` of a request is the workspace of the token.
 */
export const accessible: DecisionHandler<
  Omit<AccessibleResourcesRequest, 'workspace_id'>,
  AccessibleResourcesResponse
> = {
  questions(request) {
    const {
      service_name,
      resource_type,
      action,
      limit = defaultLimit,
      page_token,
      context,
    } = request
    requireOfContext(page_token, context)
    // One ID more than the page, to find out whether there is another one.
    const page = { firstId: readPageToken(page_token), limit: limit + 1 }
    return {
      list: {
        serviceName: service_name,
        resourceType: resource_type,
        action,
        ...page,
        input: { context },
      },
    }
  },
  handle: (_context, { limit = defaultLimit, context }, { list }) => ({
    ...toPage(splitIds(list?.joinedIds ?? ''), limit, { nextId: list?.nextId, context }),
    has_full_access: list?.hasFullAccess ?? false,
  }),
  asksForList: true,
  logLevel: 'debug',
}

/**
 * Returns the first `limit` IDs of a list. If there is another one, it becomes the page token;
 * otherwise `nextId`, if the list ends early.
 */
export function toPage(
  ids: string[],
  limit: number,
  {
    nextId,
    context,
  }: { nextId?: string | undefined; context?: Record<string, unknown> | undefined } = {},
): Pick<AccessibleResourcesResponse, 'resource_ids' | 'next_page_token'> {
  const next = ids[limit] ?? nextId
  return {
    resource_ids: ids.slice(0, limit),
    next_page_token: next === undefined ? undefined : writePageToken(next, context),
  }
}
