import type { EntityManager } from '@mikro-orm/postgresql'
import { v7 as uuid } from 'uuid'
import type { ResourcePermissionResponse } from '../../gen/daikon/v1/permissions.ts'
import { invalidArgument, ServiceError } from '../core/errors.ts'
import type { Quotas } from '../core/quotas.ts'
import { lockTimedOut, violates } from '../database/database-errors.ts'
import { query } from '../database/query.ts'
import { inTransaction } from '../database/transaction.ts'
import { requireResourceQuota } from '../workspaces/quotas.ts'
import { workspaceNotFound } from '../workspaces/workspaces.ts'
import { maxChainLength } from './grants-query.ts'
import { shareTreesSql } from './parent-queries.ts'
import { chainTooLong, findParents, markParents, unknownParent } from './parents.ts'
import {
  insertKindsSql,
  missingOwnersSql,
  type Resource,
  registerResource,
  resourceByName,
  type ShareRow,
  sharesOfResource,
} from './queries.ts'
import { type ErrorNaming, indexByKey, keyOf, type Registration } from './registration.ts'
import { hasSameFacts, viewFacts, viewShare } from './resource.ts'

type Indexed<Row> = Row & { index: number }

/** A registration of a resource that does not exist yet, with the IDs of its row and parent. */
type NewResource = Registration & { id: string; parent_id: string | undefined; is_parent: boolean }

type RegisterOptions = { naming: ErrorNaming; quotas: Quotas }

const maxAttempts = 3

/** The resources of a call, and the number of them that it created. */
type Registered = { resources: ResourcePermissionResponse[]; created: number }

/**
 * Registers all resources in one transaction, or none, and returns them in the same order.
 * Resources that are already registered are returned unchanged.
 *
 * @throws ServiceError `not_found` for an unknown workspace, `invalid_argument` for an owner who is
 * not a member, an unknown parent or a chain that would be too long, `already_exists` for a
 * resource that is registered with another workspace or owner, `resource_exhausted` if a workspace
 * would exceed its quota
 */
export async function registerAll(
  em: EntityManager,
  registrations: Registration[],
  options: RegisterOptions,
): Promise<Registered> {
  for (let attempt = 1; ; attempt += 1) {
    const conflict = lockTimedOut()
    try {
      return await inTransaction(em, async (em) => {
        const created = await insertMissing(em, registrations, options, conflict)
        return { resources: await viewAll(em, registrations), created }
      })
    } catch (error) {
      // Retry: a resource was registered, or a parent, owner or workspace deleted, concurrently.
      const isConflict = error === conflict || violates(error, 'foreign')
      if (!isConflict) throw error
      if (attempt === maxAttempts) throw conflict
    }
  }
}

/** Returns the number of inserted rows. Throws `conflict` if not all rows could be inserted. */
async function insertMissing(
  em: EntityManager,
  registrations: Registration[],
  { naming, quotas }: RegisterOptions,
  conflict: ServiceError,
): Promise<number> {
  const children = registrations.filter(({ parent }) => parent)
  if (children.length > 0) {
    const workspaces = new Set(children.map(({ workspace_id }) => workspace_id))
    await query(em, shareTreesSql, [[...workspaces]])
  }
  const existing = await findRegistered(em, registrations)
  requireSameFacts(registrations, existing, naming)
  const missing = registrations.filter(({ index }) => !existing.has(index))
  if (missing.length === 0) return 0
  await requireOwners(em, missing, naming)
  const byWorkspace = Map.groupBy(missing, ({ workspace_id }) => workspace_id)
  for (const [workspaceId, added] of [...byWorkspace].toSorted())
    await requireResourceQuota(em, quotas, workspaceId, added.length)
  await query(em, insertKindsSql, [JSON.stringify(missing)])
  const resources = await placeInTrees(em, missing, naming)
  const quota = quotas.MAX_RESOURCES_PER_WORKSPACE
  const items = JSON.stringify(resources.map((resource) => ({ ...resource, quota })))
  const rows = await query<{ is_over_quota: boolean }>(em, registerResource.sql, [items])
  const inserted = rows.filter(({ is_over_quota }) => !is_over_quota)
  if (inserted.length < missing.length) throw conflict
  return inserted.length
}

async function findRegistered(
  em: EntityManager,
  registrations: Registration[],
): Promise<Map<number, Resource>> {
  const items = JSON.stringify(registrations)
  const rows = await query<Indexed<Resource>>(em, resourceByName.sql, [items])
  return new Map(rows.map(({ index, ...resource }) => [index, resource]))
}

function requireSameFacts(
  registrations: Registration[],
  existing: Map<number, Resource>,
  naming: ErrorNaming,
): void {
  const fields = registrations
    .filter((registration) => {
      const resource = existing.get(registration.index)
      return resource && !hasSameFacts(resource, registration)
    })
    .map(({ index }) => naming.field(index, ''))
  if (fields.length === 0) return
  const message = 'The resource is registered with another workspace or owner'
  throw new ServiceError('already_exists', 'RESOURCE_REGISTERED', naming.detail(fields, message))
}

async function requireOwners(
  em: EntityManager,
  registrations: Registration[],
  { field, detail }: ErrorNaming,
): Promise<void> {
  type MissingOwner = { index: number; workspace_exists: boolean }
  const items = JSON.stringify(registrations)
  const missing = await query<MissingOwner>(em, missingOwnersSql, [items])
  if (missing.length === 0) return
  const unknown = missing.filter(({ workspace_exists }) => !workspace_exists)
  if (unknown.length > 0) {
    const { code, reason, message } = workspaceNotFound()
    const fields = unknown.map(({ index }) => field(index, 'workspace_id'))
    throw new ServiceError(code, reason, detail(fields, message))
  }
  throw invalidArgument(
    ...missing.map(({ index }) => ({
      field: field(index, 'owner_id'),
      message: 'must be a member of the workspace',
    })),
  )
}

/**
 * Finds the parents of new resources, both among the new resources and in the database, and marks
 * them as parents.
 */
async function placeInTrees(
  em: EntityManager,
  missing: Registration[],
  { field }: ErrorNaming,
): Promise<NewResource[]> {
  const ids = new Map(missing.map(({ index }) => [index, uuid()]))
  const indexes = indexByKey(missing)
  const itemsByIndex = new Map(missing.map((item) => [item.index, item]))

  /** Returns the parent of a registration if the parent is also new. */
  const newParentOf = ({ parent }: Registration): Registration | undefined =>
    parent && itemsByIndex.get(indexes.get(keyOf(parent)) ?? -1)
  const keys = missing.flatMap((item) => {
    const { parent, workspace_id, index } = item
    return parent && !newParentOf(item) ? [{ ...parent, workspace_id, index }] : []
  })
  const rows = keys.length > 0 ? await findParents(em, keys) : []
  const existingParents = new Map(rows.map((row) => [row.index, row]))

  const unknown = missing.filter((item) => {
    const newParent = newParentOf(item)
    if (newParent) return newParent.workspace_id !== item.workspace_id
    return item.parent && !existingParents.has(item.index)
  })
  if (unknown.length > 0)
    throw invalidArgument(...unknown.map(({ index }) => unknownParent(field(index, 'parent'))))

  const lengths = new Map<Registration, number>()
  const lengthOf = (item: Registration): number => {
    const known = lengths.get(item)
    if (known !== undefined) return known
    const parent = newParentOf(item)
    const above = parent ? lengthOf(parent) : (existingParents.get(item.index)?.length ?? 0)
    lengths.set(item, above + 1)
    return above + 1
  }
  const tooLong = missing.filter((item) => lengthOf(item) > maxChainLength)
  if (tooLong.length > 0)
    throw invalidArgument(...tooLong.map(({ index }) => chainTooLong(field(index, 'parent'))))

  await markParents(em, rows)
  const newParents = new Set(missing.map(newParentOf))
  return missing.map((item) => {
    const newParent = newParentOf(item)
    return {
      ...item,
      id: ids.get(item.index) as string,
      parent_id: newParent ? ids.get(newParent.index) : existingParents.get(item.index)?.id,
      is_parent: newParents.has(item),
    }
  })
}

async function viewAll(
  em: EntityManager,
  registrations: Registration[],
): Promise<ResourcePermissionResponse[]> {
  const resources = await findRegistered(em, registrations)
  const items = [...resources].map(([index, { kind_id, resource_id }]) => ({
    index,
    kind_id,
    resource_id,
  }))
  type Row = Indexed<{ shares: ShareRow[] }>
  const rows = await query<Row>(em, sharesOfResource.sql, [JSON.stringify(items)])
  const shares = new Map(rows.map((row) => [row.index, row.shares]))
  return registrations.map(({ index }) => ({
    ...viewFacts(resources.get(index) as Resource),
    shares: (shares.get(index) ?? []).map(viewShare),
  }))
}
