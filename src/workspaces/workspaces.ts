import type {
  ListAllWorkspacesRequest,
  ListAllWorkspacesResponse,
  WorkspacePage,
  WorkspacePageRequest,
} from '../../gen/daikon/v1/admin_workspaces.ts'
import type {
  CreateWorkspaceRequest,
  DeleteResponse,
  DeleteWorkspaceRequest,
  ListWorkspacesRequest,
  ListWorkspacesResponse,
  UpdateWorkspaceRequest,
  WorkspaceRequest,
  WorkspaceResponse,
} from '../../gen/daikon/v1/workspaces.ts'
import { actorOf, userIdOf } from '../activity/actor.ts'
import { listServices } from '../activity/listed-services.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import type { ActivityEvent } from '../activity/store/entries-sql.ts'
import { changedFields } from '../core/changed-fields.ts'
import { createEntityTag, requireMatch } from '../core/entity-tag.ts'
import { ServiceError } from '../core/errors.ts'
import { newId } from '../core/new-id.ts'
import type { QuotaContext } from '../core/quotas.ts'
import { type RequestContext, requireUser, type WriteContext } from '../core/request-context.ts'
import { violates } from '../database/database-errors.ts'
import { isoTime } from '../database/sql-values.ts'
import { requireUserQuota } from './quotas.ts'
import { reasons } from './reasons.ts'
import type { MemberStore } from './store/member-store.ts'
import { toColumns } from './store/switch-columns.ts'
import type { WorkspaceOfUser, WorkspaceStore } from './store/workspace-store.ts'
import { applySwitches, pickSwitches, readSwitches, type SwitchStores } from './switches.ts'

type WorkspaceStores = { workspaces: WorkspaceStore; activity: ActivityStore }

/** Creates a workspace with the caller as its owner. */
export async function createWorkspace(
  {
    stores,
    principal,
    now,
    quotas,
  }: RequestContext<WorkspaceStores & { members: MemberStore }> & QuotaContext,
  { name, slug, description = '' }: CreateWorkspaceRequest,
): Promise<WorkspaceResponse> {
  const id = newId()
  const userId = userIdOf(actorOf(principal))
  try {
    return await stores.transaction(async (tx) => {
      if (userId) await requireUserQuota(tx.members, quotas, userId)
      await tx.workspaces.insert({ id, name: name.trim(), slug, description })
      if (userId) await tx.members.add({ workspaceId: id, userId }, 'owner', now)
      const event = createWorkspaceEvent('workspace.created', { id, slug })
      await tx.activity.record(actorOf(principal), event)
      return toWorkspaceResponse(await requireWorkspace(tx.workspaces, id, userId))
    })
  } catch (error) {
    if (!violates(error, 'unique')) throw error
    throw new ServiceError(reasons.SLUG_TAKEN)
  }
}

/** Lists the workspaces of the user, by name; the one of the connection in a session by it. */
export async function listWorkspaces(
  { stores, principal }: RequestContext<WorkspaceStores>,
  _request: ListWorkspacesRequest,
): Promise<ListWorkspacesResponse> {
  const { id, workspaceId, connectionId } = requireUser(principal)
  const all = await stores.workspaces.listOfUser(id)
  const workspaces = connectionId ? all.filter((workspace) => workspace.id === workspaceId) : all
  return { workspaces: workspaces.map(toWorkspaceResponse) }
}

/** Lists a page of all workspaces, by slug; `q` matches names and slugs. */
export async function listWorkspacePage(
  { stores, principal }: RequestContext<WorkspaceStores>,
  { q, ...page }: WorkspacePageRequest,
): Promise<WorkspacePage> {
  const result = await stores.workspaces.listPage(page, userIdOf(actorOf(principal)), q)
  return { ...result, items: result.items.map(toWorkspaceResponse) }
}

/** Lists the IDs, names and slugs of all workspaces, by name. */
export async function listAllWorkspaces(
  { stores }: Pick<RequestContext<WorkspaceStores>, 'stores'>,
  _request: ListAllWorkspacesRequest,
): Promise<ListAllWorkspacesResponse> {
  return { workspaces: await stores.workspaces.listNames() }
}

/** Returns a workspace. */
export async function getWorkspace(
  { stores, principal }: RequestContext<WorkspaceStores>,
  { workspace_id }: WorkspaceRequest,
): Promise<WorkspaceResponse> {
  const userId = userIdOf(actorOf(principal))
  return toTaggedResponse(await requireWorkspace(stores.workspaces, workspace_id, userId))
}

/**
 * Changes the name or description of a workspace, or a switch, which only its owners decide. What a switch
 * refuses from now on ends.
 */
export async function updateWorkspace(
  {
    stores,
    principal,
    now,
  }: WriteContext<WorkspaceStores & SwitchStores> & Pick<RequestContext, 'now'>,
  { workspace_id, name, description, if_match, ...values }: UpdateWorkspaceRequest,
): Promise<WorkspaceResponse> {
  const requested = readSwitches(values)
  const isOwners = Object.keys(requested).length > 0
  if (isOwners && principal.user?.role !== 'owner') throw new ServiceError(reasons.OWNER_REQUIRED)
  const actor = actorOf(principal)
  return stores.transaction(async (tx) => {
    const userId = userIdOf(actor)
    await tx.workspaces.lock(workspace_id)
    const workspace = await requireWorkspace(tx.workspaces, workspace_id, userId)
    requireMatch(if_match, tagOf(workspace))
    const changes = changedFields({ name: name?.trim(), description, ...requested }, workspace)
    if (!changes) return toTaggedResponse(workspace)
    if (changes.name !== undefined || changes.description !== undefined)
      await tx.activity.record(actor, createWorkspaceEvent('workspace.updated', workspace))
    await applySwitches(tx, { actor, now }, workspace, changes)
    await tx.workspaces.update(workspace.id, changes)
    return toTaggedResponse(await requireWorkspace(tx.workspaces, workspace.id, userId))
  })
}

/** Deletes a workspace with its members, groups, roles, resources and sessions. */
export async function deleteWorkspace(
  { stores, principal }: WriteContext<WorkspaceStores>,
  { workspace_id, if_match }: DeleteWorkspaceRequest,
): Promise<DeleteResponse> {
  return stores.transaction(async (tx) => {
    await tx.workspaces.lock(workspace_id)
    const workspace = await requireWorkspace(tx.workspaces, workspace_id)
    requireMatch(if_match, tagOf(workspace))
    const { id, slug } = workspace
    const services = listServices(await tx.workspaces.findServices(id))
    await tx.workspaces.delete(id)
    const event = { targetId: id, workspaceId: id, detail: { slug, services } }
    await tx.activity.record(actorOf(principal), { action: 'workspace.deleted', ...event })
    return {}
  })
}

/**
 * Throws unless the workspace exists. List methods use it to distinguish an empty workspace from a
 * missing one.
 */
export async function requireWorkspaceExists(
  workspaces: WorkspaceStore,
  id: string,
): Promise<void> {
  if (!(await workspaces.exists(id))) throw workspaceNotFound()
}

/**
 * Creates the error for a workspace that does not exist, or that the caller may not know exists.
 */
export function workspaceNotFound(): ServiceError {
  return new ServiceError(reasons.WORKSPACE_NOT_FOUND)
}

async function requireWorkspace(
  workspaces: WorkspaceStore,
  id: string,
  userId?: string,
): Promise<WorkspaceOfUser> {
  const workspace = await workspaces.find(id, userId)
  if (!workspace) throw workspaceNotFound()
  return workspace
}

function tagOf(workspace: WorkspaceOfUser): string {
  const { id, name, description } = workspace
  return createEntityTag(id, { name, description, ...pickSwitches(workspace) })
}

function toTaggedResponse(workspace: WorkspaceOfUser): WorkspaceResponse {
  return { ...toWorkspaceResponse(workspace), etag: tagOf(workspace) }
}

function toWorkspaceResponse(workspace: WorkspaceOfUser): WorkspaceResponse {
  const { id, name, slug, description, role, createdAt } = workspace
  return {
    ...{ id, name, slug, description },
    ...toColumns(workspace),
    ...(role !== null && { role }),
    created_at: isoTime(createdAt),
  }
}

function createWorkspaceEvent(
  action: 'workspace.created' | 'workspace.updated',
  { id, slug }: { id: string; slug: string },
): ActivityEvent<typeof action> {
  return { action, targetId: id, workspaceId: id, detail: { slug } }
}
