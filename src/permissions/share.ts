import type { Acknowledgement } from '../../gen/daikon/v1/acknowledgement.ts'
import type {
  ShareBatchRequest,
  ShareBatchResponse,
  ShareRequest,
  ShareResponse,
} from '../../gen/daikon/v1/permissions.ts'
import { actorOf } from '../activity/actor.ts'
import { invalidArgument, ServiceError } from '../core/errors.ts'
import type { QuotaContext } from '../core/quotas.ts'
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import { createListNaming } from './error-naming.ts'
import { findGrantees, findGranteeViolation } from './grantees.ts'
import { reasons } from './reasons.ts'
import { requireManageableResource, toShareResponse } from './resource.ts'
import { shareAll, shareOne } from './share-all.ts'
import type { ShareStores } from './share-preparation.ts'
import { findGrantViolation, shareEvent } from './share-terms.ts'
import type { Grantee } from './store/share-store.ts'

type ShareContext = WriteContext<ShareStores> & Pick<RequestContext, 'now'> & QuotaContext

/** Names fields such as `shares[3].grantee_email`. */
const batchNaming = createListNaming('shares')

/**
 * Shares a resource with a user or group of its workspace. If a share exists, replaces its
 * permission or role, its condition and its expiry.
 */
export async function share(
  { stores, principal, now, quotas }: ShareContext,
  request: ShareRequest,
): Promise<ShareResponse> {
  const { context } = request
  const options = { principal, actor: actorOf(principal), now, quotas, context }
  return toShareResponse(await shareOne(stores, request, options))
}

/** Grants all shares or none, each like `share`. */
export async function shareBatch(
  { stores, principal, now, quotas }: ShareContext,
  { shares, context }: ShareBatchRequest,
): Promise<ShareBatchResponse> {
  const actor = actorOf(principal)
  const options = { principal, actor, now, quotas, context, naming: batchNaming }
  return { shares: (await shareAll(stores, shares, options)).map(toShareResponse) }
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
  const { workspaceId } = resource
  const grantees = await findGrantees(stores.principals, [{ ...request, workspaceId }])
  const grantee = grantees[0] as Grantee
  return stores.transaction(async (tx) => {
    const permission = await tx.shares.revoke(resource, grantee)
    if (!permission) throw new ServiceError(reasons.SHARE_NOT_FOUND)
    const event = shareEvent('permission.share_revoked', resource, grantee, permission)
    await tx.activity.record(actorOf(principal), event)
    return { status: 'ok' }
  })
}

function requireValidRevocation(request: ShareRequest): void {
  const grantee = findGranteeViolation(request)
  const grant = findGrantViolation(request)
  const violations = [grantee, grant].filter((violation) => violation !== undefined)
  if (violations.length > 0) throw invalidArgument(...violations)
}
