import type { EntityManager } from '@mikro-orm/postgresql'
import type { UnregisterRequest, UnregisterResponse } from '../../gen/daikon/v1/permissions.ts'
import { actorOf, recordActivity } from '../activity/record-activity.ts'
import type { Principal, RequestContext } from '../core/request-context.ts'
import { lockTimedOut } from '../database/database-errors.ts'
import { query } from '../database/query.ts'
import { inTransaction } from '../database/transaction.ts'
import {
  deleteResourcesSql,
  detachChildrenSql,
  lockTreeSql,
  maxRowsPerStatement,
} from './parent-queries.ts'
import { deleteResourceSql, type Resource } from './queries.ts'
import { requireManageableResource, resourceNotFound } from './resource.ts'

/** The maximum number of attempts to lock a tree that is growing concurrently. */
const maxLockAttempts = 20

/**
 * Deletes a resource and its shares. With `cascade`, also deletes everything below the resource and
 * records the deletion; otherwise, its children become roots.
 */
export async function unregister(
  { em, principal }: RequestContext,
  request: UnregisterRequest,
): Promise<UnregisterResponse> {
  const resource = await requireManageableResource(em, principal, request)
  await inTransaction(em, (em) =>
    request.cascade ? deleteTree(em, principal, resource) : deleteResource(em, resource),
  )
  return {}
}

async function deleteResource(em: EntityManager, { id }: Resource): Promise<void> {
  // Detach children in batches, because the foreign key would detach all in one long statement.
  while ((await query(em, detachChildrenSql, [id])).length > 0);
  await query(em, deleteResourceSql, [id])
}

async function deleteTree(
  em: EntityManager,
  principal: Principal,
  { id, workspace_id, service_name, resource_type, resource_id }: Resource,
): Promise<void> {
  const ids = await lockTree(em, id)
  const total = { resources: 0, shares: 0 }
  for (let offset = 0; offset < ids.length; offset += maxRowsPerStatement) {
    const batch = ids.slice(offset, offset + maxRowsPerStatement)
    const [deleted] = await query<typeof total>(em, deleteResourcesSql, [batch])
    total.resources += deleted?.resources ?? 0
    total.shares += deleted?.shares ?? 0
  }
  if (total.resources === 0) throw resourceNotFound()
  await recordActivity(em, actorOf(principal), {
    action: 'permission.tree_unregistered',
    targetId: id,
    workspaceId: workspace_id,
    detail: {
      service_name,
      resource_type,
      resource_id,
      descendants: String(total.resources - 1),
      shares: String(total.shares),
    },
  })
}

/**
 * Locks a resource and everything below it until the end of the transaction. Returns the IDs, the
 * deepest first.
 */
async function lockTree(em: EntityManager, id: string): Promise<string[]> {
  let previous: string | null | undefined
  for (let attempt = 0; attempt < maxLockAttempts; attempt += 1) {
    const [locked] = await query<{ ids: string | null }>(em, lockTreeSql, [id])
    const ids = locked?.ids ?? null
    if (ids === previous) return ids?.split(',') ?? []
    previous = ids
  }
  throw lockTimedOut()
}
