import type {
  AccessibleResourcesRequest,
  AccessibleResourcesResponse,
} from '../../gen/daikon/v1/permissions.ts'
import type { StatementPool } from '../database/statement-pool.ts'
import { grant, sufficientGrants } from './access.ts'
import { accessibleSql, accessibleWithFoldersSql } from './accessible-query.ts'
import { type Decision, defineDecision } from './decision.ts'
import { firstId, readPageToken, writePageToken } from './page-token.ts'

/** `workspace_id` is not used: authorization requires that it is the workspace of the token. */
type AccessibleRequest = Omit<AccessibleResourcesRequest, 'workspace_id'>

/**
 * Lists the ids of the resources for which a check would allow the action, ascending, page by page. The
 * facts about the action are loaded with the caller's status, which requires no existing resource.
 */
export function createAccessible(
  statements: StatementPool,
): Decision<AccessibleRequest, AccessibleResourcesResponse> {
  return defineDecision({
    checks: ({ service_name, resource_type, action }) => [
      { service_name, resource_type, resource_id: firstId, action },
    ],
    async handle({ principal: { user }, grants }, request) {
      const { service_name, resource_type, action, limit = 1000 } = request
      const from = readPageToken(request.page_token)
      const sufficient = sufficientGrants(user?.role, action, grants[0] ?? 0)
      if (!user || sufficient === 0) return { resource_ids: [], has_full_access: false }

      const coversKind = sufficient === grant.registered
      const [joinedIds, isWithoutPrivate] = await findIds(statements, [
        user.workspaceId,
        user.id,
        service_name,
        resource_type,
        from,
        limit + 1,
        sufficient,
        action === 'view' && !coversKind,
      ])
      const ids = joinedIds === '' ? [] : joinedIds.split(',')
      const next = ids[limit]
      return {
        resource_ids: ids.slice(0, limit),
        has_full_access: coversKind || isWithoutPrivate,
        ...(next && { next_page_token: writePageToken(next) }),
      }
    },
  })
}

/** Runs the query for flat resources, and the one for folders if the user may have any. */
async function findIds(statements: StatementPool, values: unknown[]): Promise<[string, boolean]> {
  type Row = [ids: string | null, isWithoutPrivate: boolean]
  const [row] = await statements.rows<Row>('accessible', accessibleSql, values)
  if (!row) return ['', false]
  const [ids, isWithoutPrivate] = row
  if (ids !== null) return [ids, isWithoutPrivate]
  const inherited = await statements.rows<[string]>(
    'accessible with folders',
    accessibleWithFoldersSql,
    values.slice(0, 7),
  )
  return [inherited[0]?.[0] ?? '', isWithoutPrivate]
}
