import { isWorkspaceConsole } from '../console-kind.ts'

/** The roles in a workspace with their labels, from the highest to the lowest. */
export const roles = [
  { value: 'owner', label: 'Owner' },
  { value: 'admin', label: 'Admin' },
  { value: 'editor', label: 'Editor' },
  { value: 'viewer', label: 'Viewer' },
]

export function describeRole(role: string): string {
  return roles.find(({ value }) => value === role)?.label ?? role
}

/** What decides which members somebody may manage: the role of the caller, if the caller is a member. */
type Managed = { role: string | null }

/** The roles that the user of the console may give to people. Only owners make owners. */
export function rolesToGive(workspace: Managed): typeof roles {
  return maySetOwners(workspace) ? roles : roles.filter(({ value }) => value !== 'owner')
}

/** Whether the user of the console may change or end a membership here. */
export function mayManage(workspace: Managed, member: { role: string; kind: string }): boolean {
  if (member.kind === 'service_account') return false
  return member.role !== 'owner' || maySetOwners(workspace)
}

function maySetOwners({ role }: Managed): boolean {
  return !isWorkspaceConsole || role === 'owner'
}
