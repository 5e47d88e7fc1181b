import type { EntityManager } from '@mikro-orm/postgresql'
import type { UnregisterRequest, UnregisterResponse } from '../../gen/daikon/v1/permissions.ts'
import { actorOf, recordActivity } from '../activity/record-activity.ts'
import type { Principal, RequestContext } from '../core/request-context.ts'
import { query } from '../database/query.ts'
import { inTransaction } from '../database/transaction.ts'
import { deleteTreeSql, lockTreesSql } from './parent-queries.ts'
import { deleteResourceSql, type Resource } from './queries.ts'
import { requireManageableResource, resourceNotFound } from './resource.ts'

/** Deletes a resource and its shares, and everything below it if the request says so. */
export async function unregister(
  { em, principal }: RequestContext,
  request: UnregisterRequest,
): Promise<UnregisterResponse> {
  const resource = await requireManageableResource(em, principal, request)
  if (request.cascade) await inTransaction(em, (em) => deleteTree(em, principal, resource))
  else await inTransaction(em, (em) => query(em, deleteResourceSql, [resource.id]))
  return {}
}

async function deleteTree(
  em: EntityManager,
  principal: Principal,
  { id, workspace_id, service_name, resource_type, resource_id }: Resource,
): Promise<void> {
  await query(em, lockTreesSql, [workspace_id])
  type Counts = { resources: number; shares: number }
  const [deleted] = await query<Counts>(em, deleteTreeSql, [id])
  if (!deleted?.resources) throw resourceNotFound()
  await recordActivity(em, actorOf(principal), {
    action: 'permission.tree_unregistered',
    targetId: id,
    workspaceId: workspace_id,
    detail: {
      service_name,
      resource_type,
      resource_id,
      descendants: String(deleted.resources - 1),
      shares: String(deleted.shares),
    },
  })
}
