import type { Actor } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { type FieldViolation, ServiceError } from '../core/errors.ts'
import type { Quotas } from '../core/quotas.ts'
import type { Principal } from '../core/request-context.ts'
import { mapInTurns } from '../core/turns.ts'
import type { RolloutStore } from '../database/rollout-store.ts'
import type { ErrorNaming } from './error-naming.ts'
import { findGrantCondition } from './grant-condition.ts'
import { findGrantees, type GranteeField, granteeFieldOf } from './grantees.ts'
import type { ItemErrors } from './item-errors.ts'
import { isVisibleTo, type RequestedContext, requireManage, requireOwnership } from './resource.ts'
import { type RequestedShare, referenceOf, resourceFieldOf } from './share-items.ts'
import { findRole, sharedEvent } from './share-terms.ts'
import type { PrincipalStore } from './store/principal-store.ts'
import type { Resource } from './store/resource-sql.ts'
import type { ResourceStore } from './store/resource-store.ts'
import type { Declaration, ResourceTypeStore } from './store/resource-type-store.ts'
import type { NewShare, ShareStore } from './store/share-store.ts'

/** The stores with which resources are shared. */
export type ShareStores = {
  activity: ActivityStore
  principals: PrincipalStore
  resources: ResourceStore
  resourceTypes: ResourceTypeStore
  rollout: RolloutStore
  shares: ShareStore
}

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
export type ReadyShare = PlacedShare & { newShare: NewShare }

/** The number of shares that one statement reads or grants. */
const chunkSize = 1000

/** Finds the resources of shares, prepares the shares, and adds errors. */
export async function prepareAll(
  stores: ShareStores,
  requested: RequestedShare[],
  options: ShareAllOptions,
  errors: ItemErrors,
): Promise<ReadyShare[]> {
  const placed = await findResources(stores, requested, options.principal, errors)
  const ready = await prepare(stores, placed, options, errors)
  const areMembers = await inChunks(ready, (chunk) =>
    stores.principals.areInWorkspaces(
      chunk.map(({ resource: { workspaceId }, newShare }) => ({
        ...newShare.grantee,
        workspaceId,
      })),
    ),
  )
  const keys = new Set<string>()
  for (const [position, { index, request, resource, newShare }] of ready.entries()) {
    const { grantee } = newShare
    const field = granteeFieldOf(request)
    const key = `${resource.id}\n${grantee.type}\n${grantee.id}`
    if (!areMembers[position]) errors.add(index, unknownGrantee(field, grantee.type))
    else if (keys.has(key)) errors.add(index, { field, message: 'is duplicated' })
    keys.add(key)
  }
  return ready
}

/** Finds what the shares refer to except for members, checks the rights of the caller, and adds errors. */
export async function prepare(
  stores: ShareStores,
  placed: PlacedShare[],
  options: ShareAllOptions,
  errors: ItemErrors,
): Promise<ReadyShare[]> {
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
  return mapInTurns(placed, (item, position) => {
    const { index, request, resource, permission, expiresAt } = item
    const grantee = grantees[position] as NewShare['grantee']
    const declared = declarationOf(resource)
    const { role } = request
    if (role !== undefined) errors.capture(index, () => findRole(declared, resource, role))
    const condition = errors.capture(index, () =>
      findGrantCondition(declared, resource, request.condition),
    )
    const event = sharedEvent(resource, grantee, {
      permission,
      expiresAt,
      condition: request.condition,
    })
    const { actor } = options
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

/** Runs `work` for one chunk of items after another, and returns all results. */
export async function inChunks<Item, Result>(
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
