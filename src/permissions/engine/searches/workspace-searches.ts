import type { Statements } from '../../../database/statement-pool.ts'
import { builtInActions } from '../../access.ts'
import { decide } from '../facts.ts'
import type { Kind, Subject, SubjectCheck } from '../question.ts'
import { hasRoleSql } from '../statements/status.ts'
import { hasOwnWorkspaces } from '../statements/workspace-checks.ts'
import type { AllowedUser } from './find-subjects.ts'

/** An action of a service on a workspace, and where a page begins. */
type Page = { serviceName: string; action: string; after: string; limit: number }

/** Searches in which the resource is a workspace. Results are ordered by ID. */
export type WorkspaceSearches = {
  /** Returns whether a service has registered resources of the type `workspace` itself. */
  hasOwnWorkspaces(serviceName: string): Promise<boolean>
  /** Returns the ID of the workspace with an ID or slug. */
  findWorkspace(name: { id: string } | { slug: string }): Promise<string | undefined>
  /** Returns the members who may perform an action on a workspace. */
  findWorkspaceUsers(workspaceId: string, page: Page): Promise<AllowedUser[]>
  /** Returns the groups that may perform an action on their workspace. */
  findWorkspaceGroups(workspaceId: string, kind: Kind, page: Page): Promise<string[]>
  /** Returns the workspaces on which a user may perform an action; only `workspaceId` if it is set. */
  findWorkspacesOfUser(
    userId: string,
    workspaceId: string | undefined,
    page: Page,
  ): Promise<string[]>
}

/** The maximum number of groups that one statement decides. */
const groupsPerStatement = 500

/** Returns SQL: whether the member `m` may perform the action $2 of the service $1. */
const isAllowed = `(
  $2 = 'view' or m.role in ('owner', 'admin') and ($2 = any($3::text[]) or exists (
    select from service_actions where service_name = $1 and name = $2
  )) or $2 <> all($3::text[]) and exists (
    select from service_actions sa where sa.service_name = $1 and sa.name = $2
      and ${hasRoleSql('sa.id', 'm.user_id', 'm.workspace_id')}
  )
)`

/** $4 workspace, $5 user, $6 limit. Returns the members after the user who may perform the action. */
const usersSql = `
select m.user_id, u.external_id, coalesce(u.email, ''), u.name
from live_members m join users u on u.id = m.user_id
where m.workspace_id = $4 and m.user_id > $5 and u.is_active and ${isAllowed}
order by m.user_id limit $6`

/** $4 user, $5 workspace, $6 limit, $7 the only workspace or null. Returns IDs of workspaces. */
const workspacesSql = `
select m.workspace_id from live_members m
where m.user_id = $4 and m.workspace_id > $5 and ($7::uuid is null or m.workspace_id = $7)
  and ${isAllowed}
order by m.workspace_id limit $6`

const groupsSql = `
select id from groups where workspace_id = $1 and id > $2 order by id limit $3`

export function createWorkspaceSearches(
  statements: Statements,
  loadBits: (checks: SubjectCheck[]) => Promise<number[]>,
): WorkspaceSearches {
  const actionParameters = ({ serviceName, action }: Page) => [
    serviceName,
    action,
    `{${builtInActions}}`,
  ]
  return {
    async hasOwnWorkspaces(serviceName) {
      const sql = `select ${hasOwnWorkspaces('$1')}`
      const [row] = await statements.rows<[boolean]>('own workspaces', sql, [serviceName])
      return row?.[0] === true
    },
    async findWorkspace(name) {
      const [column, value] = 'id' in name ? ['id', name.id] : ['slug', name.slug]
      const sql = `select id from workspaces where ${column} = $1`
      const rows = await statements.rows<[string]>(`workspace by ${column}`, sql, [value])
      return rows[0]?.[0]
    },
    async findWorkspaceUsers(workspaceId, page) {
      type Row = [id: string, externalId: string | null, email: string, name: string]
      const values = [...actionParameters(page), workspaceId, page.after, page.limit]
      const rows = await statements.rows<Row>('workspace users', usersSql, values)
      return rows.map(([id, externalId, email, name]) => ({ id, externalId, email, name }))
    },
    async findWorkspaceGroups(workspaceId, kind, { action, after, limit }) {
      const allowed: string[] = []
      let last = after
      for (;;) {
        const values = [workspaceId, last, groupsPerStatement]
        const rows = await statements.rows<[string]>('workspace groups', groupsSql, values)
        const check = { ...kind, resourceId: workspaceId, workspace: workspaceId, action }
        const subjects: Subject[] = rows.map(([groupId]) => ({ groupId }))
        const bits = await loadBits(subjects.map((subject) => ({ ...check, subject })))
        allowed.push(...rows.flatMap(([id], index) => (decide(action, bits[index]) ? [id] : [])))
        if (allowed.length >= limit || rows.length < groupsPerStatement)
          return allowed.slice(0, limit)
        last = rows.at(-1)?.[0] ?? last
      }
    },
    async findWorkspacesOfUser(userId, workspaceId, page) {
      const values = [...actionParameters(page), userId, page.after, page.limit, workspaceId]
      const rows = await statements.rows<[string]>('workspaces of user', workspacesSql, values)
      return rows.map(([id]) => id)
    },
  }
}
