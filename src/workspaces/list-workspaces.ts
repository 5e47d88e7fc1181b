import type {
  ListAllWorkspacesRequest,
  ListAllWorkspacesResponse,
  WorkspaceChoice,
  WorkspacePage,
  WorkspacePageRequest,
} from '../../gen/daikon/v1/admin_workspaces.ts'
import { actorOf } from '../activity/record-activity.ts'
import type { RequestContext } from '../core/request-context.ts'
import { findPage } from '../database/page.ts'
import { likePattern } from '../database/sql-values.ts'
import { viewWorkspace, type WorkspaceRow, workspaceSql } from './workspaces.ts'

/** Workspaces by slug; `q` looks into names and slugs. */
export async function listWorkspacePage(
  { em, principal }: RequestContext,
  { q, ...page }: WorkspacePageRequest,
): Promise<WorkspacePage> {
  const pattern = q ? [likePattern(q)] : []
  const found = await findPage<WorkspaceRow>(em, page, {
    select: workspaceSql.select,
    from: `${workspaceSql.from} ${q ? 'where w.slug ilike $2 or w.name ilike $2' : ''}`,
    orderBy: 'w.slug',
    values: [actorOf(principal).actorId, ...pattern],
  })
  return { ...found, items: found.items.map(viewWorkspace) }
}

/** Every workspace by name. */
export async function listAllWorkspaces(
  { em }: RequestContext,
  _request: ListAllWorkspacesRequest,
): Promise<ListAllWorkspacesResponse> {
  const sql = 'select id, name, slug from workspaces order by name, id'
  return { workspaces: await em.execute<WorkspaceChoice[]>(sql) }
}
