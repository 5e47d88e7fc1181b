import type { Role } from '../core/roles.ts'

/**
 * The reasons why a user may have access to a resource, as bits. The facts query returns the grants
 * that apply; `sufficientGrants` returns those that allow an action. The action is allowed if the
 * two have a bit in common.
 */
export const grant = {
  /** The resource is registered in the workspace of the token. */
  registered: 1,
  /** The user owns the resource. */
  owner: 2,
  /** The visibility of the resource is `workspace` or `public`. */
  workspace: 4,
  /** A share with the user or one of their groups allows them to view the resource. */
  view: 8,
  /** A share with the user or one of their groups allows them to edit the resource. */
  edit: 16,
  /** A role of the user on the resource contains `manage`. */
  manage: 256,
  /** A role of the user on the resource contains the action of the check, which is registered. */
  action: 512,
  /** The resource inherits the grants of its parent. The bit itself does not allow any action. */
  inherited: 128,
  /** Everybody may view the resource, signed in or not, in whatever workspace. */
  public: 1024,
  /**
   * A share with a condition may allow the action. The bit itself does not allow any action: it
   * becomes the bits of the share if the condition is true.
   */
  conditional: 2048,
  /**
   * An action of the resource type requires a condition. Denies every action until the requirements
   * of the action have been judged.
   */
  barred: 4096,
  /** The subject is a delegation that does not cover the check. Denies every action. */
  uncovered: 8192,
} as const

/** The actions that exist for every resource. Services must not register them. */
export const builtInActions = ['view', 'edit', 'manage']

/** Facts about an action that a service registered, in bits that `grant` does not use. */
export const actionFact = {
  /** The service of the resource registered the action. */
  registered: 32,
  /** A custom role of the user grants the action. */
  granted: 64,
} as const

/** Why a delegation covers nothing, beside `grant.uncovered`, in bits that nothing else uses. */
export const delegationFact = {
  /** The delegation was ended before it expired. */
  ended: 1 << 14,
  expired: 1 << 15,
} as const

/** Facts about the member who asks, in bits that neither `grant` nor `actionFact` use. */
export const memberFact = {
  /** The member is a guest of the workspace of the resource. */
  guest: 1 << 22,
} as const

const { registered, owner, workspace, view, edit, manage, action } = grant

/** The grants that let a member view a resource: `workspace` is nothing to a guest. */
const visible = workspace | view | edit
const visibleToGuests = grant.public | view | edit

/** Whether a role gives access to every resource of its workspace. */
export function coversWorkspace(role: Role): boolean {
  return role === 'owner' || role === 'admin'
}

/**
 * Returns the grants that each suffice to allow the action for a member with this role. People who
 * are not members may only view what is public (`isAllowed`). `facts` are bits of `actionFact` and
 * `memberFact`.
 */
export function sufficientGrants(role: Role | undefined, name: string, facts: number): number {
  if (!role) return 0
  const isRegistered = builtInActions.includes(name) || (facts & actionFact.registered) !== 0
  if (!isRegistered) return 0
  if (coversWorkspace(role)) return registered
  const seen = facts & memberFact.guest ? visibleToGuests : visible
  if (name === 'manage') return owner | manage
  if (name === 'view') return owner | seen
  if (name === 'edit') return owner | edit | (role === 'editor' ? workspace : 0)
  return owner | action | (facts & actionFact.granted ? seen : 0)
}

/**
 * Decides a check, from the bits of `grant`, `actionFact` and `memberFact` for its resource, action and
 * subject. `role` is the role in the workspace of the resource.
 */
export function isAllowed(role: Role | undefined, name: string, facts: number): boolean {
  if (facts & (grant.barred | grant.uncovered)) return false
  const everybody = name === 'view' ? grant.public : 0
  return ((sufficientGrants(role, name, facts) | everybody) & facts) !== 0
}
