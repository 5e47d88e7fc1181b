import { queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap, unwrapPage } from '../api/client.ts'
import { definedOnly } from '../api/defined-only.ts'
import { refreshNames } from '../api/names.ts'
import { queryClient } from '../api/query-client.ts'
import { guest } from './roles.ts'

export type Workspace = Schemas['WorkspaceResponse']
export type Member = Schemas['WorkspaceMemberResponse']
export type Group = Schemas['GroupResponse']
export type Role = Schemas['RoleResponse']

/** The part of a list that is shown. */
export type ListFilters = { q?: string | undefined; page: number; page_size: number }

export function workspacesQuery(filters: ListFilters) {
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

/** The filter `role` is a role, or `guest`. */
export function membersQuery(
  workspaceId: string,
  { role, ...filters }: ListFilters & { role?: string | undefined },
) {
  const query = definedOnly({
    ...filters,
    ...(role === guest.value ? { guest: true } : { role: role as 'viewer' | undefined }),
  })
  return queryOptions({
    queryKey: ['workspaces', 'members', workspaceId, query],
    queryFn: ({ signal }) =>
      unwrapPage(
        api.GET('/admin/workspaces/{workspace_id}/members', {
          params: { path: { workspace_id: workspaceId }, query },
          signal,
        }),
      ),
  })
}

export function groupsQuery(workspaceId: string, filters: ListFilters) {
  const query = definedOnly(filters)
  return queryOptions({
    queryKey: ['workspaces', 'groups', workspaceId, query],
    queryFn: ({ signal }) =>
      unwrapPage(
        api.GET('/admin/workspaces/{workspace_id}/groups', {
          params: { path: { workspace_id: workspaceId }, query },
          signal,
        }),
      ),
  })
}

export function groupMembersQuery(groupId: string, filters: ListFilters) {
  const query = definedOnly(filters)
  return queryOptions({
    queryKey: ['workspaces', 'group-members', groupId, query],
    queryFn: ({ signal }) =>
      unwrapPage(
        api.GET('/admin/groups/{group_id}/members', {
          params: { path: { group_id: groupId }, query: { ...query, effective: true } },
          signal,
        }),
      ),
  })
}

/** Reads a group, so that the console knows the version that a dialog shows. */
export function readGroup(groupId: string): Promise<Group> {
  return unwrap(api.GET('/admin/groups/{group_id}', { params: { path: { group_id: groupId } } }))
}

/** Reads a custom role, so that the console knows the version that a dialog shows. */
export function readRole(roleId: string): Promise<Role> {
  return unwrap(api.GET('/admin/roles/{role_id}', { params: { path: { role_id: roleId } } }))
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

export function rolesQuery(workspaceId: string, filters: ListFilters) {
  const query = definedOnly(filters)
  return queryOptions({
    queryKey: ['workspaces', 'roles', workspaceId, query],
    queryFn: ({ signal }) =>
      unwrapPage(
        api.GET('/admin/workspaces/{workspace_id}/roles', {
          params: { path: { workspace_id: workspaceId }, query },
          signal,
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

export function roleMembersQuery(roleId: string, filters: ListFilters) {
  const query = definedOnly(filters)
  return queryOptions({
    queryKey: ['workspaces', 'role-members', roleId, query],
    queryFn: ({ signal }) =>
      unwrapPage(
        api.GET('/admin/roles/{role_id}/members', {
          params: { path: { role_id: roleId }, query },
          signal,
        }),
      ),
  })
}

export function roleGroupsQuery(roleId: string) {
  return queryOptions({
    queryKey: ['workspaces', 'role-groups', roleId],
    queryFn: () =>
      unwrap(api.GET('/admin/roles/{role_id}/groups', { params: { path: { role_id: roleId } } })),
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
