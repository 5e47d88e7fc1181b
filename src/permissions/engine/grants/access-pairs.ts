import { grant } from '../../access.ts'

/** A share or a link, as a resource accepts it. */
export type PairedShare = {
  /** The user, the group or the link. */
  granteeId: string
  isGroup: boolean
  /** `view`, `edit` or the name of a role. */
  permission: string
  isConditional: boolean
  expiresAt: Date | null
  /** The type of the resource, which declares the role. */
  resourceType: string
}

/** What the pairs of a resource are made from. */
export type PairedResource = {
  workspaceId: string
  ownerId: string | null
  visibility: 'private' | 'workspace' | 'public'
  /** The shares with users and with groups. */
  shares: PairedShare[]
  links: PairedShare[]
}

/**
 * A pair that a resource accepts: a subject that holds it has the grant of the level. Both parts are names
 * in plain text, such as `<workspace>:<user>` and `view`.
 */
export type Pair = {
  holder: string
  level: string
  /** Whether a condition decides about the grant. */
  isMaybe: boolean
  /** When the grant ends. */
  until: Date | null
}

/** Every holder with every level. */
export type HeldPairs = { holders: string[]; levels: string[] }

/** A subject as a member of a workspace. */
export type PairedMember = {
  workspaceId: string
  subjectId: string
  /** The groups of the subject in the workspace, also through other groups. */
  groupIds: string[]
}

/** What suffices for an action. */
export type SufficientGrants = {
  /** Bits of `grant`. */
  bits: number
  /** The levels of the roles of shares that give one of the bits. */
  roles: string[]
  /** Whether the type of the resources allows `public`. */
  allowsPublic: boolean
}

/** A pair without a condition or an end. */
export function certainPair(holder: string, level: string): Pair {
  return { holder, level, isMaybe: false, until: null }
}

/** The pair that all subjects hold on what is public. */
export const everybody: HeldPairs = { holders: ['public'], levels: ['public'] }

export const noPairs: HeldPairs = { holders: [], levels: [] }

/** The name of a user, a group or a link as a holder. */
export function holderName(workspaceId: string, granteeId: string): string {
  return `${workspaceId}:${granteeId}`
}

/** The level of a role on resources of a type. */
export function roleLevel(resourceType: string, role: string): string {
  return `role:${resourceType}/${role}`
}

/** Returns the pair of a share. */
export function pairOfShare({ workspaceId }: PairedResource, share: PairedShare): Pair {
  const { granteeId, permission, isConditional, expiresAt, resourceType } = share
  const isRole = permission !== 'view' && permission !== 'edit'
  return {
    holder: holderName(workspaceId, granteeId),
    level: isRole ? roleLevel(resourceType, permission) : permission,
    isMaybe: isConditional,
    until: expiresAt,
  }
}

/** Returns the levels of shares that suffice. */
export function shareLevels({ bits, roles }: SufficientGrants): string[] {
  return [...(bits & grant.view ? ['view'] : []), ...(bits & grant.edit ? ['edit'] : []), ...roles]
}

/** Returns the bits that a share with a role gives for an action, which is undefined if it is built in. */
export function bitsOfRole(actions: string[], action: string | undefined): number {
  const has = (...names: string[]) => names.some((name) => actions.includes(name))
  return (
    (has('view', 'edit', 'manage') ? grant.view : 0) |
    (has('edit') ? grant.edit : 0) |
    (has('manage') ? grant.manage : 0) |
    (action !== undefined && has(action) ? grant.action : 0)
  )
}
