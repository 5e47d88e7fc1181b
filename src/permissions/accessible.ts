import type {
  AccessibleResourcesRequest,
  AccessibleResourcesResponse,
} from '../../gen/daikon/v1/permissions.ts'
import type { Decision } from '../rpc/call.ts'
import { ground, sufficient } from './access.ts'
import { accessibleSql } from './accessible-sql.ts'

const firstId = '00000000-0000-0000-0000-000000000000'

/** Lists exactly the ids for which a check says true now, ascending, page by page. */
export const accessible: Decision<AccessibleResourcesRequest, AccessibleResourcesResponse> = async (
  context,
  request,
) => {
  const { workspace_id, service_name, resource_type, action, limit = 1000 } = request
  const { user } = context.caller
  const from = readPageToken(request.page_token)
  const wanted = sufficient(user?.role, action, context.grounds[0] ?? 0)
  if (!user || wanted === 0) return { resource_ids: [], has_full_access: false }

  const byRole = wanted === ground.registered
  const [found] = await context.statements.rows<[string, boolean]>('accessible', accessibleSql, [
    ...[workspace_id, user.id, service_name, resource_type],
    ...[from, limit + 1, wanted, action === 'view' && !byRole],
  ])
  const [joined, allOpen] = found ?? ['', false]
  const ids = joined === '' ? [] : joined.split(',')
  const next = ids[limit]
  return {
    resource_ids: ids.slice(0, limit),
    has_full_access: byRole || allOpen,
    ...(next && { next_page_token: writePageToken(next) }),
  }
}

/** What is known of the action comes with the caller's standing; no resource has to be there. */
accessible.asks = ({ service_name, resource_type, action }) => [
  { service_name, resource_type, resource_id: firstId, action },
]

/** A page token is the id that the next page begins with, whether it is still there then or not. */
function writePageToken(id: string): string {
  return Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')
}

function readPageToken(token: string | undefined): string {
  return token ? Buffer.from(token, 'base64url').toString('hex') : firstId
}
