import type { Role } from '../core/roles.ts'
import { actionFact, builtInActions, memberFact, sufficientGrants } from '../permissions/access.ts'
import {
  bitsOfRole,
  everybody,
  type HeldPairs,
  type PairedMember,
  roleLevel,
} from '../permissions/engine/grants/access-pairs.ts'
import { pairsHeldBy } from './pairs.ts'

/** What a subject is in a workspace. */
export type HeldMembership = PairedMember & {
  role: Role
  isGuest: boolean
  /** Whether a custom role of the subject contains the action. */
  isGranted: boolean
}

/** What the keys of a subject follow from. */
export type Holdings = {
  action: string
  /** Whether the service has registered the action, unless it is built in. */
  isRegistered: boolean
  /** Whether the type of the resources allows `public`. */
  allowsPublic: boolean
  /** Whether requirements may bind the action on resources of the type, and `view`. */
  isRequired: boolean
  isViewRequired: boolean
  /** The roles that types of the service declare. */
  roles: { resourceType: string; name: string; actions: string[] }[]
  /** Whether the subject may view what is public. */
  isEverybody: boolean
  /** The bits that do not count for the kind of the subject. */
  ignoredBits: number
  memberships: HeldMembership[]
}

/** Pairs that suffice, and pairs that suffice if requirements are met. */
export type HeldKeys = { certain: HeldPairs[]; maybe: HeldPairs[] }

/** Returns the pairs by which a subject may perform an action. */
export function findHeldKeys(holdings: Holdings): HeldKeys {
  const { action, isRequired, isViewRequired, memberships } = holdings
  const certain: HeldPairs[] = []
  const maybe: HeldPairs[] = []
  for (const membership of memberships) {
    const own = sufficientBits(holdings, { ...membership, isGranted: false })
    const added = sufficientBits(holdings, membership) & ~own
    certain.push(...pairsOfBits(holdings, membership, own))
    const ofCustomRoles = pairsOfBits(holdings, membership, added)
    // A custom role gives the action on what the user may view.
    if (isViewRequired) maybe.push(...ofCustomRoles)
    else certain.push(...ofCustomRoles)
  }
  if (action === 'view' && holdings.allowsPublic && holdings.isEverybody) certain.push(everybody)
  return isRequired
    ? { certain: [], maybe: joinPairs([...certain, ...maybe]) }
    : { certain: joinPairs(certain), maybe: joinPairs(maybe) }
}

function sufficientBits(
  { action, isRegistered, ignoredBits }: Holdings,
  { role, isGuest, isGranted }: HeldMembership,
): number {
  const facts =
    (isRegistered ? actionFact.registered : 0) |
    (isGranted ? actionFact.granted : 0) |
    (isGuest ? memberFact.guest : 0)
  return sufficientGrants(role, action, facts) & ~ignoredBits
}

function pairsOfBits(holdings: Holdings, membership: HeldMembership, bits: number): HeldPairs[] {
  if (bits === 0) return []
  const { action, allowsPublic } = holdings
  const named = builtInActions.includes(action) ? undefined : action
  const roles = holdings.roles
    .filter(({ actions }) => (bitsOfRole(actions, named) & bits) !== 0)
    .map(({ resourceType, name }) => roleLevel(resourceType, name))
  return pairsHeldBy(membership, { bits, roles, allowsPublic })
}

/** Joins pairs with the same levels. */
function joinPairs(pairs: HeldPairs[]): HeldPairs[] {
  const joined = new Map<string, { holders: Set<string>; levels: string[] }>()
  for (const { holders, levels } of pairs) {
    const name = JSON.stringify(levels)
    const of = joined.get(name) ?? { holders: new Set(), levels }
    for (const holder of holders) of.holders.add(holder)
    joined.set(name, of)
  }
  return [...joined.values()].map(({ holders, levels }) => ({ holders: [...holders], levels }))
}
