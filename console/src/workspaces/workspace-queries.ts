import { queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../api/client.ts'
import { definedOnly } from '../api/defined-only.ts'
import { refreshNames } from '../api/names.ts'
import { queryClient } from '../api/query-client.ts'

export type Workspace = Schemas['WorkspaceResponse']
export type Member = Schemas['WorkspaceMemberResponse']
export type Group = Schemas['GroupResponse']
export type Role = Schemas['RoleResponse']

/** The maximum number of members that the server lists. */
export const maxListedMembers = 50

export function workspacesQuery(filters: {
  q?: string | undefined
  page: number
  page_size: number
}) {
  const query = definedOnly(filters)
  return queryOptions({
    queryKey: ['workspaces', 'list', query],
    queryFn: ({ signal }) => unwrap(api.GET('/admin/workspaces', { params: { query }, signal })),
  })
}

export function workspaceQuery(workspaceId: string) {
  return queryOptions({
    queryKey: ['workspaces', 'detail', workspaceId],
    queryFn: () =>
      unwrap(
        api.GET('/admin/workspaces/{workspace_id}', {
          params: { path: { workspace_id: workspaceId } },
        }),
      ),
  })
}

export function membersQuery(workspaceId: string, q: string | undefined) {
  return queryOptions({
    queryKey: ['workspaces', 'members', workspaceId, q ?? ''],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/admin/workspaces/{workspace_id}/members', {
          params: { path: { workspace_id: workspaceId }, query: definedOnly({ q }) },
          signal,
        }),
      ),
  })
}

export function groupsQuery(workspaceId: string) {
  return queryOptions({
    queryKey: ['workspaces', 'groups', workspaceId],
    queryFn: () =>
      unwrap(
        api.GET('/admin/workspaces/{workspace_id}/groups', {
          params: { path: { workspace_id: workspaceId } },
        }),
      ),
  })
}

export function groupMembersQuery(groupId: string) {
  return queryOptions({
    queryKey: ['workspaces', 'group-members', groupId],
    queryFn: () =>
      unwrap(
        api.GET('/admin/groups/{group_id}/members', {
          params: { path: { group_id: groupId }, query: { effective: true } },
        }),
      ),
  })
}

export function childGroupsQuery(groupId: string) {
  return queryOptions({
    queryKey: ['workspaces', 'child-groups', groupId],
    queryFn: () =>
      unwrap(
        api.GET('/admin/groups/{group_id}/groups', { params: { path: { group_id: groupId } } }),
      ),
  })
}

export function rolesQuery(workspaceId: string) {
  return queryOptions({
    queryKey: ['workspaces', 'roles', workspaceId],
    queryFn: () =>
      unwrap(
        api.GET('/admin/workspaces/{workspace_id}/roles', {
          params: { path: { workspace_id: workspaceId } },
        }),
      ),
  })
}

export function roleActionsQuery(roleId: string) {
  return queryOptions({
    queryKey: ['workspaces', 'role-actions', roleId],
    queryFn: () =>
      unwrap(api.GET('/admin/roles/{role_id}/actions', { params: { path: { role_id: roleId } } })),
  })
}

export function roleMembersQuery(roleId: string) {
  return queryOptions({
    queryKey: ['workspaces', 'role-members', roleId],
    queryFn: () =>
      unwrap(api.GET('/admin/roles/{role_id}/members', { params: { path: { role_id: roleId } } })),
  })
}

export const serviceActionsQuery = queryOptions({
  queryKey: ['service-actions'],
  queryFn: () => unwrap(api.GET('/admin/service-actions')),
})

/** Reloads everything that shows workspaces, after a change. */
export async function refreshWorkspaces(): Promise<void> {
  await Promise.all([queryClient.invalidateQueries({ queryKey: ['workspaces'] }), refreshNames()])
}
