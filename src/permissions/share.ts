import type { Acknowledgement } from '../../gen/daikon/v1/acknowledgement.ts'
import type { ShareRequest, ShareResponse } from '../../gen/daikon/v1/permissions.ts'
import { actorOf } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { invalidArgument, ServiceError } from '../core/errors.ts'
import { readExpiry } from '../core/expiry.ts'
import { type QuotaContext, quotaExceeded } from '../core/quotas.ts'
import type { Principal, RequestContext, WriteContext } from '../core/request-context.ts'
import { violates } from '../database/database-errors.ts'
import type { RolloutStore } from '../database/rollout-store.ts'
import { readGrantCondition } from './grant-condition.ts'
import { findGrantees, findGranteeViolation } from './grantees.ts'
import { reasons } from './reasons.ts'
import {
  requireManageableResource,
  requireOwnership,
  requireResource,
  viewShare,
} from './resource.ts'
import { deleteExpiredShares } from './share-expiry.ts'
import {
  conditionMigration,
  findGrantViolation,
  readGrantedPermission,
  requireRole,
  roleMigration,
  sharedEvent,
  shareEvent,
  unknownRole,
} from './share-terms.ts'
import type { PrincipalStore } from './store/principal-store.ts'
import type { Resource } from './store/resource-sql.ts'
import type { ResourceStore } from './store/resource-store.ts'
import type { ResourceTypeStore } from './store/resource-type-store.ts'
import type { Grantee, ShareStore } from './store/share-store.ts'

/** The stores with which resources are shared. */
export type ShareStores = {
  activity: ActivityStore
  principals: PrincipalStore
  resources: ResourceStore
  resourceTypes: ResourceTypeStore
  rollout: RolloutStore
  shares: ShareStore
}

/**
 * Shares a resource with a user or group of its workspace. If a share exists, replaces its
 * permission or role, its condition and its expiry.
 */
export async function share(
  {
    stores,
    principal,
    now,
    quotas,
  }: WriteContext<ShareStores> & Pick<RequestContext, 'now'> & QuotaContext,
  request: ShareRequest,
): Promise<ShareResponse> {
  const expiresAt = readExpiry(request.expires_at, now)
  const permission = readGrantedPermission(request)
  requireValidGrantee(request)
  const resource = await requireManageableResource(stores, principal, request)
  if (request.role !== undefined) await requireGrantableRole(stores, principal, resource, request)
  if (request.condition)
    await stores.rollout.requireMigration(conditionMigration, 'A share with a condition')
  const grantee = await findGrantee(stores, resource, request)
  const { condition } = request
  const newShare = {
    resource,
    grantee,
    permission,
    expiresAt,
    actor: actorOf(principal),
    event: sharedEvent(resource, grantee, { permission, expiresAt, condition }),
  }
  try {
    for (;;) {
      const condition = await readGrantCondition(stores, resource, request.condition)
      const granted = await stores.shares.grant(
        { ...newShare, condition },
        quotas.MAX_SHARES_PER_RESOURCE,
      )
      if (typeof granted === 'object') return viewShare(granted)
      // The declaration has been replaced since the condition was read.
      if (granted === 'condition_changed') continue
      if (granted === 'role_unknown') throw unknownRole(resource, permission)
      // Delete an expired share instead of extending it, so that its expiry is recorded.
      const deleted = await deleteExpiredShares(stores, resource)
      if (granted === 'over_quota' && deleted === 0)
        throw quotaExceeded(quotas, 'MAX_SHARES_PER_RESOURCE')
    }
  } catch (error) {
    // The foreign keys require that the grantee is a member or group of this workspace.
    if (!violates(error, 'foreign')) throw error
    // They also fail if the resource was unregistered concurrently: then report it as not found.
    await requireResource(stores, principal, request)
    const message = `No such ${grantee.type} in the workspace`
    throw new ServiceError(reasons.GRANTEE_NOT_FOUND, message)
  }
}

/**
 * Revokes the share of a user or group. The request must name a permission or role, though the share
 * is found without it.
 */
export async function revokeShare(
  { stores, principal }: WriteContext<ShareStores>,
  request: ShareRequest,
): Promise<Acknowledgement> {
  requireValidRevocation(request)
  const resource = await requireManageableResource(stores, principal, request)
  const grantee = await findGrantee(stores, resource, request)
  return stores.transaction(async (tx) => {
    const permission = await tx.shares.revoke(resource, grantee)
    if (!permission) throw new ServiceError(reasons.SHARE_NOT_FOUND)
    const event = shareEvent('permission.share_revoked', resource, grantee, permission)
    await tx.activity.record(actorOf(principal), event)
    return { status: 'ok' }
  })
}

function requireValidGrantee(request: ShareRequest): void {
  const violation = findGranteeViolation(request)
  if (violation) throw invalidArgument(violation)
}

function requireValidRevocation(request: ShareRequest): void {
  const grantee = findGranteeViolation(request)
  const grant = findGrantViolation(request)
  const violations = [grantee, grant].filter((violation) => violation !== undefined)
  if (violations.length > 0) throw invalidArgument(...violations)
}

async function findGrantee(
  { principals }: ShareStores,
  { workspaceId }: Resource,
  request: ShareRequest,
): Promise<Grantee> {
  const grantees = await findGrantees(principals, [{ ...request, workspaceId }])
  return grantees[0] as Grantee
}

/** Requires that the resource's type has the role, and that the user may grant it. */
async function requireGrantableRole(
  stores: ShareStores,
  principal: Principal,
  resource: Resource,
  request: ShareRequest,
): Promise<void> {
  const role = await requireRole(stores, resource, request.role ?? '')
  if (role.actions.includes('manage')) await requireOwnership(stores, principal, resource, request)
  await stores.rollout.requireMigration(roleMigration, 'A share with a role')
}
