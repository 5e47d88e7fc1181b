import type { ShareItem } from '../../gen/daikon/v1/permissions.ts'
import { ServiceError } from '../core/errors.ts'
import { quotaExceeded } from '../core/quotas.ts'
import type { Transactional } from '../core/request-context.ts'
import { violates } from '../database/database-errors.ts'
import { singleNaming } from './error-naming.ts'
import { ItemErrors } from './item-errors.ts'
import { reasons } from './reasons.ts'
import { requireResource } from './resource.ts'
import { ConcurrentChange, retryConflicts } from './retry-conflicts.ts'
import { deleteExpiredShares } from './share-expiry.ts'
import { type RequestedShare, readShares } from './share-items.ts'
import {
  inChunks,
  prepare,
  prepareAll,
  type ReadyShare,
  type ShareAllOptions,
  type ShareStores,
} from './share-preparation.ts'
import { conditionMigration, roleMigration, unknownRole } from './share-terms.ts'
import type { GrantResult, NewShare, Share, ShareStore } from './store/share-store.ts'

/**
 * Grants all shares in one transaction, or none, and returns them in the same order. Records an event
 * for each.
 *
 * @throws ServiceError `invalid_argument` for unknown resources and grantees, roles and conditions
 * that their types do not have, and duplicates; `permission_denied` if the caller may not manage a
 * resource; `resource_exhausted` if a resource would exceed its quota
 */
export async function shareAll(
  stores: Transactional<ShareStores>,
  requests: ShareItem[],
  options: ShareAllOptions,
): Promise<Share[]> {
  const requested = readAll(requests, options)
  return retryConflicts(async () => {
    const errors = new ItemErrors(options.naming)
    const ready = await prepareAll(stores, requested, options, errors)
    await requireValid(stores, ready, errors)
    return stores.transaction((tx) =>
      grantAll(tx, (...grants) => tx.shares.grantAll(...grants), ready, options),
    )
  })
}

/**
 * Grants a share of a resource like `shareAll`, in a statement that concurrent callers share.
 *
 * @throws ServiceError `not_found` for an unknown resource or grantee, otherwise like `shareAll`
 */
export async function shareOne(
  stores: Transactional<ShareStores>,
  request: ShareItem,
  callOptions: Omit<ShareAllOptions, 'naming'>,
): Promise<Share> {
  const options = { ...callOptions, naming: singleNaming }
  const requested = readAll([request], options)
  const resource = await requireResource(stores, options.principal, request)
  const grant = async ([newShare]: NewShare[], maxShares: number) => [
    await stores.shares.grant(newShare as NewShare, maxShares),
  ]
  const [granted] = await retryConflicts(async () => {
    const errors = new ItemErrors(singleNaming)
    const placed = requested.map((item) => ({ ...item, resource }))
    const ready = await prepare(stores, placed, options, errors)
    await requireValid(stores, ready, errors)
    try {
      return await grantAll(stores, grant, ready, options)
    } catch (error) {
      // The foreign keys require that the grantee is a member or group of this workspace.
      if (!violates(error, 'foreign')) throw error
      // They also fail if the resource was unregistered concurrently: then report it as not found.
      await requireResource(stores, options.principal, request)
      const message = `No such ${ready[0]?.newShare.grantee.type} in the workspace`
      throw new ServiceError(reasons.GRANTEE_NOT_FOUND, message)
    }
  })
  return granted as Share
}

/** Adds the errors for which `shareAll` would refuse those shares that have none yet. */
export async function findShareErrors(
  stores: ShareStores,
  requests: ShareItem[],
  options: ShareAllOptions,
  errors: ItemErrors,
): Promise<void> {
  await prepareAll(stores, readShares(requests, options.now, errors), options, errors)
}

function readAll(requests: ShareItem[], { naming, now }: ShareAllOptions): RequestedShare[] {
  const errors = new ItemErrors(naming)
  const requested = readShares(requests, now, errors)
  errors.throwAny()
  return requested
}

/** Throws the errors of the shares, or one if a node is too old for them. */
async function requireValid(
  { rollout }: ShareStores,
  ready: ReadyShare[],
  errors: ItemErrors,
): Promise<void> {
  errors.throwAny()
  if (ready.some(({ request }) => request.role !== undefined))
    await rollout.requireAllNodesKnow(roleMigration, 'A share with a role')
  if (ready.some(({ request }) => request.condition))
    await rollout.requireAllNodesKnow(conditionMigration, 'A share with a condition')
}

/** Grants the shares. Throws a ConcurrentChange if something has changed since `prepare`. */
async function grantAll(
  stores: Transactional<ShareStores>,
  grant: ShareStore['grantAll'],
  ready: ReadyShare[],
  { naming, quotas, onProgress }: ShareAllOptions,
): Promise<Share[]> {
  const grantItems = (items: ReadyShare[]): Promise<GrantResult[]> =>
    grant(
      items.map(({ newShare }) => newShare),
      quotas.MAX_SHARES_PER_RESOURCE,
    )
  return inChunks(ready, async (chunk, start) => {
    onProgress?.(start, ready.length)
    const results = await grantItems(chunk)
    const refused = chunk.filter((_, position) => typeof results[position] !== 'object')
    if (refused.length === 0) return results as Share[]
    // Delete expired shares instead of extending them, so that their expiry is recorded.
    const resources = new Map(refused.map(({ resource }) => [resource.id, resource]))
    for (const resource of resources.values()) await deleteExpiredShares(stores, resource)
    const retried = await grantItems(refused)
    requireGranted(refused, retried, { naming, quotas })
    const granted = new Map(refused.map((item, position) => [item, retried[position]]))
    return chunk.map((item, position) => (granted.get(item) ?? results[position]) as Share)
  })
}

function requireGranted(
  items: ReadyShare[],
  results: GrantResult[],
  { naming, quotas }: Pick<ShareAllOptions, 'naming' | 'quotas'>,
): void {
  const errors = new ItemErrors(naming)
  const overQuota: number[] = []
  for (const [position, { index, resource, permission }] of items.entries()) {
    const result = results[position]
    if (result === 'expired' || result === 'condition_changed') throw new ConcurrentChange()
    if (result === 'role_unknown')
      errors.add(index, unknownRole(resource, permission).violations[0])
    if (result === 'over_quota') overQuota.push(index)
  }
  errors.throwAny()
  if (overQuota.length === 0) return
  const error = quotaExceeded(quotas, 'MAX_SHARES_PER_RESOURCE')
  const fields = overQuota.map((index) => naming.field(index, ''))
  throw error.reword(naming.detail(fields, error.message))
}
