import type { Resource } from '../argument-types.ts'
import { builtInActions, coversWorkspace } from '../gen/permissions/access.ts'
import type { Explanation, Reason } from '../results.ts'
import { workspaceType } from './declarations.ts'
import { decideDelegated } from './delegations.ts'
import { findCustomRoles } from './grants.ts'
import type { FakeState } from './state.ts'
import { type FakeSubject, findRoleOf } from './subjects.ts'

/** Whether a resource stands for a workspace of daikon. */
export function isWorkspace({ type }: Pick<Resource, 'type'>): boolean {
  return type === workspaceType
}

/** Finds a workspace by its ID or slug. */
export function findWorkspace({ workspaces }: FakeState, name: string): string | undefined {
  if (workspaces.has(name)) return name
  for (const [id, slug] of workspaces) if (slug === name) return id
  return undefined
}

/**
 * Decides about a workspace itself: members may view it, owners and admins may do everything, and
 * members who have a custom role with an action may perform it.
 */
export function decideWorkspace(
  state: FakeState,
  subject: FakeSubject,
  action: string,
  workspaceId: string | undefined,
): Explanation {
  const decided = decideUser(state, subject, action, workspaceId)
  const { delegation } = subject
  if (!delegation) return decided
  const asked = { action, type: workspaceType, resource: undefined, workspaceId, isKnown: true }
  return decideDelegated(state, delegation, asked, decided)
}

function decideUser(
  state: FakeState,
  subject: FakeSubject,
  action: string,
  workspaceId: string | undefined,
): Explanation {
  const { kind, isKnown, isActive } = subject
  if (kind === 'link') return deny('no_grant')
  if (!isKnown) return deny('user_unknown')
  if (!isActive) return deny('user_inactive')
  const isLimited = subject.workspaceId !== undefined && subject.workspaceId !== workspaceId
  if (workspaceId === undefined || isLimited) return deny('resource_unknown')
  const role = findRoleOf(state, subject, workspaceId)
  if (!role) return deny('not_a_member')
  const isBuiltIn = builtInActions.includes(action)
  if (!isBuiltIn && !state.actions.has(action)) return deny('action_unknown')
  const customRoles = isBuiltIn ? [] : findCustomRoles(state, subject, action, workspaceId)
  const isAllowed = coversWorkspace(role) || action === 'view' || customRoles.length > 0
  if (!isAllowed) return deny('no_grant')
  return { allowed: true, reasons: [{ rule: 'workspace_role', role }, ...customRoles] }
}

function deny(rule: Reason['rule']): Explanation {
  return { allowed: false, reasons: [{ rule }] }
}
