import type { Role } from '../core/roles.ts'

/**
 * The grounds on which a resource may be reached, as bits: the facts statement answers a resource's
 * grounds, `sufficient` which of them an action asks for, and one shared bit is permission.
 */
export const grant = {
  /** It is registered in the token's workspace. */
  registered: 1,
  /** The user owns it. */
  owner: 2,
  /** Its visibility is `workspace`. */
  workspace: 4,
  /** It is shared with the user, or with a group of theirs, for view. */
  view: 8,
  /** … for edit. */
  edit: 16,
} as const

/** What is known of an action that is neither view nor edit; the bits follow the grounds'. */
export const actionFact = {
  /** The resource's service has registered it. */
  known: 32,
  /** A custom role of the user contains it. */
  granted: 64,
} as const

const { registered, owner, workspace, view, edit } = grant
const viewed = workspace | view | edit

/** Whether a role covers every resource of its workspace. */
export function coversWorkspace(role: Role): boolean {
  return role === 'owner' || role === 'admin'
}

/** The grounds any one of which allows the action to a member with this role. */
export function sufficientGrants(role: Role | undefined, name: string, facts: number): number {
  if (!role) return 0
  const kind = name === 'view' || name === 'edit' ? name : 'other'
  if (kind === 'other' && !(facts & actionFact.known)) return 0
  if (coversWorkspace(role)) return registered
  if (kind === 'view') return owner | viewed
  if (kind === 'edit') return owner | edit | (role === 'editor' ? workspace : 0)
  return owner | (facts & actionFact.granted ? viewed : 0)
}

/** The decision. `facts` are the bits of one resource and one action. */
export function isAllowed(role: Role | undefined, name: string, facts: number): boolean {
  return (sufficientGrants(role, name, facts) & facts) !== 0
}
