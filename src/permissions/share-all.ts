import type { ShareItem } from '../../gen/daikon/v1/permissions.ts'
import type { Actor } from '../activity/actor.ts'
import { type FieldViolation, ServiceError } from '../core/errors.ts'
import { type Quotas, quotaExceeded } from '../core/quotas.ts'
import type { Principal, Transactional } from '../core/request-context.ts'
import { mapInTurns } from '../core/turns.ts'
import { lockTimedOut, violates } from '../database/database-errors.ts'
import type { ErrorNaming } from './error-naming.ts'
import { findGrantCondition } from './grant-condition.ts'
import { findGrantees, type GranteeField, granteeFieldOf } from './grantees.ts'
import { ItemErrors } from './item-errors.ts'
import { isVisibleTo, type RequestedContext, requireManage, requireOwnership } from './resource.ts'
import type { ShareStores } from './share.ts'
import { deleteExpiredShares } from './share-expiry.ts'
import { type RequestedShare, readShares, referenceOf, resourceFieldOf } from './share-items.ts'
import {
  conditionMigration,
  findRole,
  roleMigration,
  sharedEvent,
  unknownRole,
} from './share-terms.ts'
import type { Resource } from './store/resource-sql.ts'
import type { Declaration } from './store/resource-type-store.ts'
import type { GrantResult, NewShare, Share } from './store/share-store.ts'

/** How the shares of a call are granted. `principal` is the caller, `now` the time of the call. */
export type ShareAllOptions = RequestedContext & {
  principal: Principal
  actor: Actor
  now: Date
  quotas: Quotas
  naming: ErrorNaming
  onProgress?: (done: number, total: number) => void
}

/** A share to grant, whose resource exists. */
type PlacedShare = RequestedShare & { resource: Resource }

/** A share to grant, valid as a whole unless it has errors. */
type ReadyShare = PlacedShare & { newShare: NewShare }

/** The number of shares that one statement reads or grants. */
const chunkSize = 1000

const maxAttempts = 3

/**
 * Grants all shares in one transaction, or none, and returns them in the same order. Applies the
 * rules of `share` and records the same events.
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
  const errors = new ItemErrors(options.naming)
  const requested = readShares(requests, options.now, errors)
  errors.throwAny()
  for (let attempt = 1; ; attempt += 1) {
    const conflict = lockTimedOut()
    try {
      const errors = new ItemErrors(options.naming)
      const ready = await prepare(stores, requested, options, errors)
      errors.throwAny()
      await requireMigrations(stores, requested)
      return await stores.transaction((tx) => grantAll(tx, ready, options, conflict))
    } catch (error) {
      // Retry: a resource, grantee or declaration was changed concurrently.
      const isConflict = error === conflict || violates(error, 'foreign')
      if (!isConflict) throw error
      if (attempt === maxAttempts) throw conflict
    }
  }
}

/** Adds the errors for which `shareAll` would refuse those shares that have none yet. */
export async function findShareErrors(
  stores: ShareStores,
  requests: ShareItem[],
  options: ShareAllOptions,
  errors: ItemErrors,
): Promise<void> {
  await prepare(stores, readShares(requests, options.now, errors), options, errors)
}

async function requireMigrations(
  { rollout }: ShareStores,
  requested: RequestedShare[],
): Promise<void> {
  if (requested.some(({ request }) => request.role !== undefined))
    await rollout.requireMigration(roleMigration, 'A share with a role')
  if (requested.some(({ request }) => request.condition))
    await rollout.requireMigration(conditionMigration, 'A share with a condition')
}

/** Finds what the shares refer to, checks the rights of the caller, and adds errors. */
async function prepare(
  stores: ShareStores,
  requested: RequestedShare[],
  options: ShareAllOptions,
  errors: ItemErrors,
): Promise<ReadyShare[]> {
  const { principal, actor } = options
  const placed = await findResources(stores, requested, principal, errors)
  const declarations = await findDeclarations(stores, placed)
  const declarationOf = ({ serviceName, resourceType }: Resource) =>
    declarations.get(`${serviceName}\n${resourceType}`)
  await requireRights(stores, placed, options, declarationOf)

  const grantees = await inChunks(placed, (chunk) =>
    findGrantees(
      stores.principals,
      chunk.map(({ request, resource }) => ({ ...request, workspaceId: resource.workspaceId })),
    ),
  )
  const areMembers = await inChunks(placed, (chunk, start) =>
    stores.principals.areInWorkspaces(
      chunk.map(({ resource }, position) => {
        const { type, id } = grantees[start + position] as NewShare['grantee']
        return { type, id, workspaceId: resource.workspaceId }
      }),
    ),
  )
  const keys = new Set<string>()
  return mapInTurns(placed, (item, position) => {
    const { index, request, resource, permission, expiresAt } = item
    const grantee = grantees[position] as NewShare['grantee']
    const field = granteeFieldOf(request)
    const key = `${resource.id}\n${grantee.type}\n${grantee.id}`
    if (!areMembers[position]) errors.add(index, unknownGrantee(field, grantee.type))
    else if (keys.has(key)) errors.add(index, { field, message: 'is duplicated' })
    keys.add(key)
    const declared = declarationOf(resource)
    const { condition: requestedCondition, role } = request
    if (role !== undefined) errors.capture(index, () => findRole(declared, resource, role))
    const condition = errors.capture(index, () =>
      findGrantCondition(declared, resource, requestedCondition),
    )
    const event = sharedEvent(resource, grantee, {
      permission,
      expiresAt,
      condition: requestedCondition,
    })
    const newShare = { resource, grantee, permission, condition, expiresAt, actor, event }
    return { ...item, newShare }
  })
}

/** Returns the shares whose resources the caller may know, and reports the others. */
async function findResources(
  { resources }: ShareStores,
  requested: RequestedShare[],
  principal: Principal,
  errors: ItemErrors,
): Promise<PlacedShare[]> {
  const found = await inChunks(requested, (chunk) =>
    resources.findAll(chunk.map(({ request }) => referenceOf(request))),
  )
  return requested.flatMap((item, position) => {
    const resource = found[position]
    if (resource && isVisibleTo(principal, resource)) return { ...item, resource }
    const field = resourceFieldOf(item.request)
    errors.add(item.index, { field, message: 'is not a registered resource' })
    return []
  })
}

/** Returns the declarations of the types whose roles or conditions are used, by service and type. */
async function findDeclarations(
  { resourceTypes }: ShareStores,
  placed: PlacedShare[],
): Promise<Map<string, Declaration>> {
  const using = placed.filter(({ request }) => request.role !== undefined || request.condition)
  const services = new Set(using.map(({ resource }) => resource.serviceName))
  const declarations = new Map<string, Declaration>()
  for (const service of services) {
    for (const declared of await resourceTypes.list(service))
      declarations.set(`${declared.service_name}\n${declared.resource_type}`, declared)
  }
  return declarations
}

/**
 * Requires that the user may manage each resource, and owns it if a role contains `manage`.
 *
 * @throws ServiceError `permission_denied` that names the shares
 */
async function requireRights(
  stores: ShareStores,
  placed: PlacedShare[],
  { principal, naming, context }: ShareAllOptions,
  declarationOf: (resource: Resource) => Declaration | undefined,
): Promise<void> {
  if (!principal.user) return
  const denials = await inChunks(placed, async (chunk) => {
    const verdicts = new Map<string, Promise<ServiceError | undefined>>()
    return Promise.all(
      chunk.map(({ request, resource }) => {
        const role = declarationOf(resource)?.roles.find(({ name }) => name === request.role)
        const isOwnership = role?.actions.includes('manage') ?? false
        const require = isOwnership ? requireOwnership : requireManage
        const key = `${resource.id} ${isOwnership}`
        const verdict =
          verdicts.get(key) ?? findDenial(() => require(stores, principal, resource, { context }))
        verdicts.set(key, verdict)
        return verdict
      }),
    )
  })
  const first = denials.find((denial) => denial)
  if (!first) return
  const fields = placed
    .filter((_, position) => denials[position]?.message === first.message)
    .map(({ index }) => naming.field(index, ''))
  throw first.reword(naming.detail(fields, first.message))
}

async function findDenial(require: () => Promise<void>): Promise<ServiceError | undefined> {
  try {
    await require()
    return undefined
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'permission_denied') return error
    throw error
  }
}

/** Grants the shares in a transaction. Throws `conflict` if something has changed since `prepare`. */
async function grantAll(
  tx: Transactional<ShareStores>,
  ready: ReadyShare[],
  { naming, quotas, onProgress }: ShareAllOptions,
  conflict: ServiceError,
): Promise<Share[]> {
  const grant = (items: ReadyShare[]): Promise<GrantResult[]> =>
    tx.shares.grantAll(
      items.map(({ newShare }) => newShare),
      quotas.MAX_SHARES_PER_RESOURCE,
    )
  return inChunks(ready, async (chunk, start) => {
    onProgress?.(start, ready.length)
    const results = await grant(chunk)
    const refused = chunk.filter((_, position) => typeof results[position] !== 'object')
    if (refused.length === 0) return results as Share[]
    // Delete expired shares instead of extending them, so that their expiry is recorded.
    const resources = new Map(refused.map(({ resource }) => [resource.id, resource]))
    for (const resource of resources.values()) await deleteExpiredShares(tx, resource)
    const retried = await grant(refused)
    requireGranted(refused, retried, { naming, quotas }, conflict)
    const granted = new Map(refused.map((item, position) => [item, retried[position]]))
    return chunk.map((item, position) => (granted.get(item) ?? results[position]) as Share)
  })
}

function requireGranted(
  items: ReadyShare[],
  results: GrantResult[],
  { naming, quotas }: Pick<ShareAllOptions, 'naming' | 'quotas'>,
  conflict: ServiceError,
): void {
  const errors = new ItemErrors(naming)
  const overQuota: number[] = []
  for (const [position, { index, resource, permission }] of items.entries()) {
    const result = results[position]
    if (result === 'expired' || result === 'condition_changed') throw conflict
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

/** Runs `work` for one chunk of items after another, and returns all results. */
async function inChunks<Item, Result>(
  items: Item[],
  work: (chunk: Item[], start: number) => Promise<Result[]>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let start = 0; start < items.length; start += chunkSize) {
    for (const result of await work(items.slice(start, start + chunkSize), start))
      results.push(result)
  }
  return results
}

function unknownGrantee(field: GranteeField, type: 'user' | 'group'): FieldViolation {
  const message = `must be a ${type === 'user' ? 'member' : 'group'} of the workspace`
  return { field, message }
}
