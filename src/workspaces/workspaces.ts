import type { EntityManager } from '@mikro-orm/postgresql'
import { v7 as uuid } from 'uuid'
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
import { type RequestContext, requireUser } from '../core/request-context.ts'
import { violates } from '../database/database-errors.ts'
import { Member, Workspace } from '../database/entities/people.ts'
import { query } from '../database/query.ts'
import { isoTime, type Timestamp } from '../database/sql-values.ts'
import { inTransaction } from '../database/transaction.ts'
import { workspaceMissing } from './require-workspace.ts'

/** Makes a workspace with the principal as its owner. */
export async function createWorkspace(
  { em, principal, now }: RequestContext,
  { name, slug, description = '' }: CreateWorkspaceRequest,
): Promise<WorkspaceResponse> {
  const id = uuid()
  const { actorId: userId } = actorOf(principal)
  try {
    return await inTransaction(em, async (em) => {
      await em.insert(Workspace, { id, name: name.trim(), slug, description })
      if (userId) {
        const place = { user_id: userId, workspace_id: id, joined_at: now }
        await em.insert(Member, { ...place, role: 'owner' })
      }
      const entry = { action: 'workspace.created', detail: { slug } } as const
      await recordActivity(em, actorOf(principal), { ...entry, targetId: id, workspaceId: id })
      return requireWorkspace(em, id, userId)
    })
  } catch (error) {
    if (!violates(error, 'unique')) throw error
    throw new ServiceError('already_exists', 'SLUG_TAKEN', 'Another workspace has this slug')
  }
}

/** The workspaces that the user belongs to, by name. */
export async function listWorkspaces(
  { em, principal }: RequestContext,
  _request: ListWorkspacesRequest,
): Promise<ListWorkspacesResponse> {
  const { id } = requireUser(principal)
  const sql = `${select} where m.user_id is not null order by w.name, w.id`
  const rows = await query<WorkspaceRow>(em, sql, [id])
  return { workspaces: rows.map(viewWorkspace) }
}

/** One workspace. */
export async function getWorkspace(
  { em, principal }: RequestContext,
  { workspace_id }: WorkspaceRequest,
): Promise<WorkspaceResponse> {
  return requireWorkspace(em, workspace_id, actorOf(principal).actorId)
}

/** Changes what is given of name and description. */
export async function updateWorkspace(
  { em, principal }: RequestContext,
  { workspace_id, name, description }: UpdateWorkspaceRequest,
): Promise<WorkspaceResponse> {
  return inTransaction(em, async (em) => {
    const { actorId } = actorOf(principal)
    const found = await requireWorkspace(em, workspace_id, actorId)
    const changes = changedFields({ name: name?.trim(), description }, found)
    if (!changes) return found
    await em.nativeUpdate(Workspace, { id: found.id }, changes)
    const entry = { action: 'workspace.updated', detail: { slug: found.slug } } as const
    await recordActivity(em, actorOf(principal), {
      ...entry,
      targetId: found.id,
      workspaceId: found.id,
    })
    return requireWorkspace(em, found.id, actorId)
  })
}

/** Deletes a workspace; members, groups, roles, resources and sessions go with it. */
export async function deleteWorkspace(
  { em, principal }: RequestContext,
  { workspace_id }: WorkspaceRequest,
): Promise<DeleteResponse> {
  return inTransaction(em, async (em) => {
    const { id, slug } = await requireWorkspace(em, workspace_id, actorOf(principal).actorId)
    // Of two at once one has deleted it.
    if (!(await em.nativeDelete(Workspace, { id }))) throw workspaceMissing()
    const entry = { action: 'workspace.deleted', detail: { slug } } as const
    await recordActivity(em, actorOf(principal), { ...entry, targetId: id, workspaceId: id })
    return {}
  })
}

/** A workspace's row with the role of one user. */
export type WorkspaceRow = Omit<WorkspaceResponse, 'created_at' | 'role'> & {
  role: string | null
  created_at: Timestamp
}

/** The columns of a workspace's row, and whence; the one value is the user, who may be none. */
export const workspaceSql = {
  select: 'w.id, w.name, w.slug, w.description, m.role, w.created_at',
  from: 'workspaces w left join members m on m.workspace_id = w.id and m.user_id = $1',
}

const select = `select ${workspaceSql.select} from ${workspaceSql.from}`

async function requireWorkspace(
  em: EntityManager,
  id: string,
  userId: string | undefined,
): Promise<WorkspaceResponse> {
  const [row] = await query<WorkspaceRow>(em, `${select} where w.id = $2`, [userId, id])
  if (row) return viewWorkspace(row)
  throw workspaceMissing()
}

/** A workspace as it goes out. */
export function viewWorkspace({ role, created_at, ...row }: WorkspaceRow): WorkspaceResponse {
  return { ...row, ...(role !== null && { role }), created_at: isoTime(created_at) }
}
