import { v7 as uuid } from 'uuid'
import type { Acknowledgement } from '../../gen/daikon/v1/acknowledgement.ts'
import type { ShareRequest, ShareResponse } from '../../gen/daikon/v1/permissions.ts'
import { actorOf, createEntryRow, recordActivity } from '../activity/record-activity.ts'
import { ServiceError } from '../core/errors.ts'
import { type QuotaContext, quotaExceeded } from '../core/quotas.ts'
import type { RequestContext } from '../core/request-context.ts'
import { batched } from '../database/batched-query.ts'
import { violates } from '../database/database-errors.ts'
import type { SharePermission } from '../database/entities/resources.ts'
import { query } from '../database/query.ts'
import { inTransaction } from '../database/transaction.ts'
import {
  deleteShareSql,
  type GranteeColumn,
  type Resource,
  type ShareRow,
  shareQueries,
} from './queries.ts'
import { requireManage, requireManageableResource, requireResource, viewShare } from './resource.ts'
import { deleteExpiredShares, readExpiry } from './share-expiry.ts'

/**
 * Shares a resource with a user or group of its workspace. If a share exists, replaces its
 * permission and expiry.
 */
export async function share(
  { em, principal, now, quotas }: Pick<RequestContext, 'em' | 'principal' | 'now'> & QuotaContext,
  request: ShareRequest,
): Promise<ShareResponse> {
  const expires_at = readExpiry(request.expires_at, now)
  const resource = await requireResource(em, principal, request)
  await requireManage(em, principal, resource)
  const { kind_id, resource_id, workspace_id } = resource
  const actor = actorOf(principal)
  try {
    const entry = shareEntry('permission.shared', resource, request)
    const detail = { ...entry.detail, expires_at: expires_at ?? 'never' }
    for (;;) {
      type Row = ShareRow & { is_over_quota: boolean }
      const row = await batched<Row>(em, shareQueries[granteeColumn(request)], {
        id: uuid(),
        kind_id,
        resource_id,
        workspace_id,
        grantee_id: request.grantee_id,
        permission: request.permission,
        granted_by: actor.actorId,
        expires_at,
        quota: quotas.MAX_SHARES_PER_RESOURCE,
        entry: createEntryRow(actor, { ...entry, detail }),
      })
      if (row && !row.is_over_quota) return viewShare(row)
      // Delete an expired share instead of extending it, so that its expiry is recorded.
      const deleted = await deleteExpiredShares(em, resource)
      if (row && deleted === 0) throw quotaExceeded(quotas, 'MAX_SHARES_PER_RESOURCE')
    }
  } catch (error) {
    // The foreign keys require that the grantee is a member or group of this workspace.
    if (!violates(error, 'foreign')) throw error
    // They also fail if the resource was unregistered concurrently: then report it as not found.
    await requireResource(em, principal, request)
    const kind = request.grantee_type
    throw new ServiceError('not_found', 'GRANTEE_NOT_FOUND', `No such ${kind} in the workspace`)
  }
}

/** Revokes the share of a user or group, whatever its permission. */
export async function revokeShare(
  { em, principal }: RequestContext,
  request: ShareRequest,
): Promise<Acknowledgement> {
  const resource = await requireManageableResource(em, principal, request)
  const { kind_id, resource_id } = resource
  return inTransaction(em, async (em) => {
    const [revoked] = await query<{ permission: SharePermission }>(
      em,
      deleteShareSql[granteeColumn(request)],
      [kind_id, resource_id, request.grantee_id],
    )
    if (!revoked) throw new ServiceError('not_found', 'SHARE_NOT_FOUND', 'Share not found')
    const { permission } = revoked
    const entry = shareEntry('permission.share_revoked', resource, { ...request, permission })
    await recordActivity(em, actorOf(principal), entry)
    return { status: 'ok' }
  })
}

function granteeColumn({ grantee_type }: ShareRequest): GranteeColumn {
  return grantee_type === 'user' ? 'user_id' : 'group_id'
}

function shareEntry<Name extends 'permission.shared' | 'permission.share_revoked'>(
  action: Name,
  { id, workspace_id, service_name, resource_type, resource_id }: Resource,
  { grantee_type, grantee_id, permission }: ShareRequest,
) {
  return {
    action,
    targetId: id,
    workspaceId: workspace_id,
    detail: {
      service_name,
      resource_type,
      resource_id,
      grantee_type,
      grantee_id: grantee_id.toLowerCase(),
      permission,
    },
  }
}
