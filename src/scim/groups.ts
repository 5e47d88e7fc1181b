import type {
  ScimChangeRequest,
  ScimCreateRequest,
  ScimDeleteRequest,
  ScimGetRequest,
  ScimListRequest,
  ScimResource,
} from '../../gen/daikon/v1/scim.ts'
import { createEntityTag, requireMatch } from '../core/entity-tag.ts'
import { ServiceError } from '../core/errors.ts'
import type { QuotaContext } from '../core/quotas.ts'
import type { RequestContext, Transactional } from '../core/request-context.ts'
import { forEachInTurns } from '../core/turns.ts'
import { isUuid } from '../core/uuid.ts'
import { isoTime } from '../database/sql-values.ts'
import { createGroup, deleteGroup, updateGroup } from '../workspaces/groups.ts'
import { reasons as workspaceReasons } from '../workspaces/reasons.ts'
import type { WorkspaceStore } from '../workspaces/store/workspace-store.ts'
import { groupSchema, groupSchemas } from './attributes.ts'
import {
  addMembers,
  type GroupMemberStores,
  removeMembers,
  replaceMembers,
} from './group-members.ts'
import { type GroupOperation, readGroup, readGroupPatch } from './group-values.ts'
import { reasons } from './reasons.ts'
import type { Attributes } from './resource.ts'
import {
  type BaseUrl,
  listResponse,
  type Presented,
  readFilter,
  readPage,
  scimUrl,
  toJson,
  toReferences,
  toResponse,
} from './response.ts'
import { scimNotFound } from './scim-errors.ts'
import { needs, type SelectionRequest, selectAttributes } from './selection.ts'
import type { ScimGroup, ScimGroupMember, ScimGroupStore } from './store/scim-group-store.ts'

type ReadContext = RequestContext<{ scimGroups: ScimGroupStore }> & BaseUrl

type WriteStores = GroupMemberStores & { workspaces: WorkspaceStore }

type WriteGroupContext = RequestContext<WriteStores> & QuotaContext & BaseUrl

/** The maximum number of members that the groups of one response have together. */
export const maxListedMembers = 5000

/**
 * Lists the groups of a workspace, by ID. A page ends before the group whose members would exceed
 * `maxListedMembers`.
 */
export async function listScimGroups(
  { stores, baseUrl }: ReadContext,
  request: ScimListRequest,
): Promise<ScimResource> {
  const { startIndex, ...page } = readPage(request)
  const filter = readFilter(request)
  const { items, total } = await stores.scimGroups.list(request.workspace_id, filter, page)
  const count = await countReturned(stores.scimGroups, items, request)
  const groups: Attributes[] = []
  const presented = await presentAll(stores.scimGroups, items.slice(0, count), baseUrl, request)
  await forEachInTurns(presented, (group) => {
    groups.push(selectAttributes(toJson(group), request, groupSchemas))
  })
  return { resource: listResponse(groups, total, startIndex) }
}

/** Returns a group. */
export async function getScimGroup(
  { stores, baseUrl }: ReadContext,
  request: ScimGetRequest,
): Promise<ScimResource> {
  const group = await requireScimGroup(stores.scimGroups, request)
  await countReturned(stores.scimGroups, [group], request)
  const [presented] = await presentAll(stores.scimGroups, [group], baseUrl, request)
  return toResponse(presented as Presented, groupSchemas, request)
}

/** Creates a group with members. */
export async function createScimGroup(
  context: WriteGroupContext,
  { workspace_id, resource }: ScimCreateRequest,
): Promise<ScimResource> {
  const { name, externalId, userIds } = readGroup(resource ?? {})
  return inTransaction(context, async (tx) => {
    const created = await createGroup({ ...context, stores: tx }, { workspace_id, name })
    const request = { workspace_id, id: created.id }
    await addMembers({ ...context, tx }, await requireStoredGroup(tx, request), userIds)
    await tx.scimGroups.save({ id: created.id, workspaceId: workspace_id }, externalId, context.now)
    return respond(tx, request, context.baseUrl)
  })
}

/** Replaces the name, the external ID and the members whom the directory has added. */
export async function replaceScimGroup(
  context: WriteGroupContext,
  request: ScimChangeRequest,
): Promise<ScimResource> {
  const { name, externalId, userIds } = readGroup(request.resource ?? {})
  return inTransaction(context, async (tx) => {
    await changeGroup({ ...context, stores: tx }, request, [
      { name },
      { externalId },
      { members: 'replace', userIds },
    ])
    return respond(tx, request, context.baseUrl)
  })
}

/** Changes a group. */
export async function patchScimGroup(
  context: WriteGroupContext,
  request: ScimChangeRequest,
): Promise<ScimResource> {
  const operations = readGroupPatch(request.resource ?? {})
  return inTransaction(context, async (tx) => {
    const group = await changeGroup({ ...context, stores: tx }, request, operations)
    return { etag: versionOf(group) }
  })
}

/** Deletes a group with its memberships and the shares granted to it. */
export async function deleteScimGroup(
  context: WriteGroupContext,
  request: ScimDeleteRequest,
): Promise<ScimResource> {
  return context.stores.transaction(async (tx) => {
    await lockScimGroup(tx, request)
    await deleteGroup({ ...context, stores: tx }, groupRequest(request))
    return {}
  })
}

/** How often a change is made, if people cease to be members while they are added to a group. */
const maxAttempts = 3

/** Runs a change in a transaction, which begins again if a person leaves the workspace at the same time. */
async function inTransaction(
  { stores }: WriteGroupContext,
  work: (tx: Transactional<WriteStores>) => Promise<ScimResource>,
): Promise<ScimResource> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await stores.transaction(work)
    } catch (error) {
      const hasLeft =
        error instanceof ServiceError && error.reason === workspaceReasons.MEMBER_NOT_FOUND.name
      if (!hasLeft || attempt === maxAttempts) throw error
    }
  }
}

/** Applies changes to a group in a transaction, and returns the changed group. */
async function changeGroup(
  context: Omit<WriteGroupContext, 'stores'> & { stores: Transactional<WriteStores> },
  request: ScimChangeRequest,
  operations: GroupOperation[],
): Promise<ScimGroup> {
  const { stores: tx, now } = context
  const { externalId: before } = await lockScimGroup(tx, request)
  let externalId = before
  for (const operation of operations) {
    if ('name' in operation)
      await updateGroup(context, { ...groupRequest(request), name: operation.name })
    else if ('externalId' in operation) externalId = operation.externalId
    else await changeMembers({ ...context, tx }, request, operation)
  }
  await tx.scimGroups.save({ id: request.id, workspaceId: request.workspace_id }, externalId, now)
  return requireScimGroup(tx.scimGroups, request)
}

async function changeMembers(
  change: Pick<WriteGroupContext, 'principal'> & { tx: WriteStores },
  request: ScimChangeRequest,
  operation: Extract<GroupOperation, { members: string }>,
): Promise<void> {
  const group = await requireStoredGroup(change.tx, request)
  switch (operation.members) {
    case 'add':
      return addMembers(change, group, operation.userIds)
    case 'remove':
      return removeMembers(change, group, operation.userIds)
    case 'replace':
      return replaceMembers(change, group, operation.userIds)
    case 'clear':
      return replaceMembers(change, group, [])
  }
}

async function respond(
  tx: WriteStores,
  request: Pick<ScimGetRequest, 'workspace_id' | 'id'>,
  baseUrl: string,
): Promise<ScimResource> {
  const group = await requireScimGroup(tx.scimGroups, request)
  const [presented] = await presentAll(tx.scimGroups, [group], baseUrl, {})
  return toResponse(presented as Presented, groupSchemas)
}

/** Locks a group until the end of the transaction, and checks `if_match`. */
async function lockScimGroup(tx: WriteStores, request: ScimDeleteRequest): Promise<ScimGroup> {
  await requireStoredGroup(tx, request)
  const group = await requireScimGroup(tx.scimGroups, request)
  requireMatch(request.if_match, versionOf(group))
  return group
}

/** Locks a group until the end of the transaction. */
async function requireStoredGroup(
  { groups }: Pick<WriteStores, 'groups'>,
  { workspace_id, id }: Pick<ScimGetRequest, 'workspace_id' | 'id'>,
) {
  const group = isUuid(id) && (await groups.lock(id, workspace_id))
  if (!group) throw scimNotFound('Group')
  return group
}

async function requireScimGroup(
  scimGroups: ScimGroupStore,
  { workspace_id, id }: Pick<ScimGetRequest, 'workspace_id' | 'id'>,
): Promise<ScimGroup> {
  const group = isUuid(id) && (await scimGroups.find(workspace_id, id))
  if (!group) throw scimNotFound('Group')
  return group
}

function groupRequest({ workspace_id, id }: Pick<ScimGetRequest, 'workspace_id' | 'id'>) {
  return { workspace_id, group_id: id }
}

/**
 * Returns how many of the groups fit into a response. Throws if the first one has too many members
 * for it: without some of them, a directory would take them for removed.
 */
async function countReturned(
  scimGroups: ScimGroupStore,
  groups: ScimGroup[],
  selection: SelectionRequest,
): Promise<number> {
  if (groups.length === 0 || !needs('members', selection, groupSchemas)) return groups.length
  const ids = groups.map(({ id }) => id)
  const count = await scimGroups.countFitting(ids, maxListedMembers)
  if (count > 0) return count
  const detail = `The group ${ids[0]} has more than ${maxListedMembers} members; request it with excludedAttributes=members`
  throw new ServiceError(reasons.TOO_MANY_MEMBERS, detail)
}

/** Describes groups, with their members if the response needs them. */
async function presentAll(
  scimGroups: ScimGroupStore,
  groups: ScimGroup[],
  baseUrl: string,
  selection: SelectionRequest,
): Promise<Presented[]> {
  const members = needs('members', selection, groupSchemas)
    ? await scimGroups.listMembers(groups.map(({ id }) => id))
    : []
  const byGroup = Map.groupBy(members, ({ groupId }) => groupId)
  const presented: Presented[] = []
  await forEachInTurns(groups, (group) => {
    presented.push(present(group, byGroup.get(group.id) ?? [], baseUrl))
  })
  return presented
}

function present(group: ScimGroup, members: ScimGroupMember[], baseUrl: string): Presented {
  const { id, workspaceId, name, externalId, createdAt, updatedAt } = group
  return {
    type: 'Group',
    url: scimUrl(baseUrl, workspaceId, `Groups/${id}`),
    version: versionOf(group),
    createdAt,
    updatedAt,
    schemas: [groupSchema.id],
    attributes: {
      id,
      ...(externalId !== null && { externalId }),
      displayName: name,
      ...(members.length > 0 && {
        members: toReferences(
          'Users',
          members.map(({ userId: id, userName: name }) => ({ id, name })),
          { baseUrl, workspaceId },
        ),
      }),
    },
  }
}

function versionOf({ id, name, externalId, updatedAt }: ScimGroup): string {
  return createEntityTag(id, { name, externalId, updatedAt: isoTime(updatedAt) })
}
