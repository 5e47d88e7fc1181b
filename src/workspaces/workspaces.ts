import type { EntityManager } from '@mikro-orm/postgresql'
import { v7 as uuid } from 'uuid'
import type {
  ListAllWorkspacesRequest,
  ListAllWorkspacesResponse,
  WorkspacePage,
  WorkspacePageRequest,
} from '../../gen/daikon/v1/admin_workspaces.ts'
import type {
  CreateWorkspaceRequest,
  DeleteResponse,
  ListWorkspacesRequest,
  ListWorkspacesResponse,
  UpdateWorkspaceRequest,
  WorkspaceRequest,
  WorkspaceResponse,
} from '../../gen/daikon/v1/workspaces.ts'
import { actorOf, recordActivity } from '../activity/record-activity.ts'
import { changedFields } from '../core/changed-fields.ts'
import { ServiceError } from '../core/errors.ts'
import type { QuotaContext } from '../core/quotas.ts'
import { type RequestContext, requireUser, type WriteContext } from '../core/request-context.ts'
import { violates } from '../database/database-errors.ts'
import { Member, Workspace } from '../database/entities/people.ts'
import { isoTime } from '../database/sql-values.ts'
import { inTransaction } from '../database/transaction.ts'
import {
  findUserWorkspaces,
  findWorkspace,
  findWorkspaceChoices,
  findWorkspacePage,
  type WorkspaceRow,
} from './queries.ts'
import { requireUserQuota } from './quotas.ts'

/** Creates a workspace with the caller as its owner. */
export async function createWorkspace(
  { em, principal, now, quotas }: RequestContext & QuotaContext,
  { name, slug, description = '' }: CreateWorkspaceRequest,
): Promise<WorkspaceResponse> {
  const id = uuid()
  const { actorId: userId } = actorOf(principal)
  try {
    return await inTransaction(em, async (em) => {
      if (userId) await requireUserQuota(em, quotas, userId)
      await em.insert(Workspace, { id, name: name.trim(), slug, description })
      if (userId) {
        await em.insert(Member, {
          user_id: userId,
          workspace_id: id,
          role: 'owner',
          joined_at: now,
        })
      }
      await recordWorkspace({ em, principal }, 'workspace.created', { id, slug })
      return requireWorkspace(em, id, userId)
    })
  } catch (error) {
    if (!violates(error, 'unique')) throw error
    throw new ServiceError('already_exists', 'SLUG_TAKEN', 'Another workspace has this slug')
  }
}

/** Lists the workspaces of the user, by name. */
export async function listWorkspaces(
  { em, principal }: RequestContext,
  _request: ListWorkspacesRequest,
): Promise<ListWorkspacesResponse> {
  const rows = await findUserWorkspaces(em, requireUser(principal).id)
  return { workspaces: rows.map(toWorkspaceResponse) }
}

/** Lists a page of all workspaces, by slug; `q` matches names and slugs. */
export async function listWorkspacePage(
  { em, principal }: RequestContext,
  { q, ...page }: WorkspacePageRequest,
): Promise<WorkspacePage> {
  const result = await findWorkspacePage(em, page, actorOf(principal).actorId, q)
  return { ...result, items: result.items.map(toWorkspaceResponse) }
}

/** Lists the ids, names and slugs of all workspaces, by name. */
export async function listAllWorkspaces(
  { em }: Pick<RequestContext, 'em'>,
  _request: ListAllWorkspacesRequest,
): Promise<ListAllWorkspacesResponse> {
  return { workspaces: await findWorkspaceChoices(em) }
}

/** Returns a workspace. */
export async function getWorkspace(
  { em, principal }: RequestContext,
  { workspace_id }: WorkspaceRequest,
): Promise<WorkspaceResponse> {
  return requireWorkspace(em, workspace_id, actorOf(principal).actorId)
}

/** Changes the name or description of a workspace. */
export async function updateWorkspace(
  { em, principal }: RequestContext,
  { workspace_id, name, description }: UpdateWorkspaceRequest,
): Promise<WorkspaceResponse> {
  return inTransaction(em, async (em) => {
    const { actorId } = actorOf(principal)
    const workspace = await requireWorkspace(em, workspace_id, actorId)
    const changes = changedFields({ name: name?.trim(), description }, workspace)
    if (!changes) return workspace
    await em.nativeUpdate(Workspace, { id: workspace.id }, changes)
    await recordWorkspace({ em, principal }, 'workspace.updated', workspace)
    return requireWorkspace(em, workspace.id, actorId)
  })
}

/** Deletes a workspace with its members, groups, roles, resources and sessions. */
export async function deleteWorkspace(
  { em, principal }: RequestContext,
  { workspace_id }: WorkspaceRequest,
): Promise<DeleteResponse> {
  return inTransaction(em, async (em) => {
    const workspace = await requireWorkspace(em, workspace_id, actorOf(principal).actorId)
    // A concurrent call may have deleted the workspace.
    if (!(await em.nativeDelete(Workspace, { id: workspace.id }))) throw workspaceNotFound()
    await recordWorkspace({ em, principal }, 'workspace.deleted', workspace)
    return {}
  })
}

/**
 * Throws unless the workspace exists. List methods use it to distinguish an empty workspace from a
 * missing one.
 */
export async function requireWorkspaceExists(em: EntityManager, id: string): Promise<void> {
  if (!(await em.count(Workspace, { id }))) throw workspaceNotFound()
}

/**
 * Creates the error for a workspace that does not exist, or that the caller may not know exists.
 */
export function workspaceNotFound(): ServiceError {
  return new ServiceError('not_found', 'WORKSPACE_NOT_FOUND', 'Workspace not found')
}

async function requireWorkspace(
  em: EntityManager,
  id: string,
  userId: string | undefined,
): Promise<WorkspaceResponse> {
  const row = await findWorkspace(em, id, userId)
  if (!row) throw workspaceNotFound()
  return toWorkspaceResponse(row)
}

function toWorkspaceResponse({ role, created_at, ...row }: WorkspaceRow): WorkspaceResponse {
  return { ...row, ...(role !== null && { role }), created_at: isoTime(created_at) }
}

function recordWorkspace(
  { em, principal }: WriteContext,
  action: 'workspace.created' | 'workspace.updated' | 'workspace.deleted',
  { id, slug }: Pick<WorkspaceRow, 'id' | 'slug'>,
): Promise<void> {
  return recordActivity(em, actorOf(principal), {
    action,
    targetId: id,
    workspaceId: id,
    detail: { slug },
  })
}
