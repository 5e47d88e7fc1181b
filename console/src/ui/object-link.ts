import type { LinkProps } from '@tanstack/react-router'
import type { NamedObject } from '../api/names.ts'
import { isWorkspaceConsole } from '../console-kind.ts'

/** Returns the address of the page about an object, or undefined if the console has none. */
export function objectLink({
  id,
  type,
  name,
  workspace_id: workspaceId,
}: NamedObject): Pick<LinkProps, 'to' | 'params' | 'search'> | undefined {
  if (isWorkspaceConsole) {
    if (type === 'group') return { to: '.', search: { tab: 'groups', group: id, q: name } }
    if (type === 'user' && workspaceId)
      return { to: '.', search: { tab: 'service-accounts', account: id } }
    return type === 'role' ? { to: '.', search: { tab: 'roles' } } : undefined
  }
  switch (type) {
    case 'user':
      // A service account belongs to a workspace.
      if (workspaceId) {
        const search = { tab: 'service-accounts', account: id }
        return { to: '/workspaces/$workspaceId', params: { workspaceId }, search }
      }
      return { to: '/people/$userId', params: { userId: id } }
    case 'workspace':
      return { to: '/workspaces/$workspaceId', params: { workspaceId: id } }
    case 'group':
    case 'role': {
      const search = type === 'group' ? { tab: 'groups', group: id, q: name } : { tab: 'roles' }
      const params = { workspaceId: workspaceId ?? '' }
      return { to: '/workspaces/$workspaceId', params, search }
    }
    case 'permission':
      return { to: '/resources/$permissionId', params: { permissionId: id } }
    case 'service_app':
      return { to: '/service-apps/$appId', params: { appId: id } }
    case 'client_app':
      return { to: '/client-apps/$appId', params: { appId: id } }
    case 'management_app':
      return { to: '/management-apps/$appId', params: { appId: id } }
    default:
      return undefined
  }
}
