import { isWorkspaceConsole } from '../console-kind.ts'
import { roles } from './roles.ts'

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
