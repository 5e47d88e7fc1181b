import type { Role } from '../core/roles.ts'
import type { Standing } from '../workspaces/guests.ts'

/** A role that a connection can give by default. */
export type DefaultRole = Exclude<Role, 'owner'>

/** What the value of a claim can give, from lowest to highest. A guest is a viewer. */
export const mappedRoles = ['guest', 'viewer', 'editor', 'admin'] as const

export type MappedRole = (typeof mappedRoles)[number]

/** What the values of claims give to the members who sign in. */
export type ConnectionMapping = {
  /** The claim that names roles. Without it, sign-ins change no role. */
  roleClaim?: string
  /** The role that each value of the claim gives. */
  roles: Record<string, MappedRole>
  /** The claim that names groups. Without it, sign-ins change no group. */
  groupsClaim?: string
  /** The ID of the group that each value of the claim gives. */
  groups: Record<string, string>
}

/** Whether a mapping can make members guests. */
export function givesGuests({ roles }: Pick<ConnectionMapping, 'roles'>): boolean {
  return Object.values(roles).includes('guest')
}

/** Returns the texts of a claim, which may be a text or a list. */
export function readClaimValues(value: unknown): string[] {
  const values = Array.isArray(value) ? value : [value]
  return values.filter((item) => typeof item === 'string')
}

/** Returns the highest of what the values give, or the default role if they give none. */
export function mapRole(
  { roles: byValue }: Pick<ConnectionMapping, 'roles'>,
  defaultRole: DefaultRole,
  values: string[],
): Standing {
  const given = values.flatMap((value) => ownValue(byValue, value) ?? [])
  const highest = mappedRoles.findLast((role) => given.includes(role)) ?? defaultRole
  return highest === 'guest' ? { role: 'viewer', isGuest: true } : { role: highest, isGuest: false }
}

/**
 * Returns the groups that the values give, and all groups that the mapping names: a member leaves those
 * that are no longer given, and stays in every other one.
 */
export function mapGroups(
  { groups }: Pick<ConnectionMapping, 'groups'>,
  values: string[],
): { given: Set<string>; managed: Set<string> } {
  const given = new Set(values.flatMap((value) => ownValue(groups, value) ?? []))
  return { given, managed: new Set(Object.values(groups)) }
}

/** What the claims of a sign-in give. */
export type MappedClaims = {
  /** The role, and whether the member is a guest. Undefined if both stay as they are. */
  standing: Standing | undefined
  /** Undefined if the groups stay as they are. */
  groups: ReturnType<typeof mapGroups> | undefined
  /** The claims of the mapping whose values are not in the token. */
  missing: string[]
}

/** Returns what the claims of a sign-in give. */
export function mapClaims(
  mapping: ConnectionMapping,
  defaultRole: DefaultRole,
  claims: Record<string, unknown>,
): MappedClaims {
  const { roleClaim, groupsClaim } = mapping
  const used = new Set([roleClaim, groupsClaim].filter((name) => name !== undefined))
  const missing = [...used].filter((name) => isElsewhere(claims, name))
  const read = (name: string | undefined) =>
    name === undefined || missing.includes(name)
      ? undefined
      : readClaimValues(ownValue(claims, name))
  const roleValues = read(roleClaim)
  const groupValues = read(groupsClaim)
  return {
    standing: roleValues && mapRole(mapping, defaultRole, roleValues),
    groups: groupValues && mapGroups(mapping, groupValues),
    missing,
  }
}

/**
 * Whether a token refers to the values of a claim instead of containing them: as a distributed claim
 * (OpenID Connect Core 1.0, 5.6.2), or by the `hasgroups` of Microsoft Entra ID.
 */
function isElsewhere(claims: Record<string, unknown>, name: string): boolean {
  if ((ownValue(claims, name) ?? null) !== null) return false
  const names = ownValue(claims, '_claim_names')
  const isNamed =
    typeof names === 'object' &&
    names !== null &&
    !Array.isArray(names) &&
    Object.hasOwn(names, name)
  const hasGroups = ownValue(claims, 'hasgroups')
  return isNamed || (name === 'groups' && (hasGroups === true || hasGroups === 'true'))
}

function ownValue<Value>(record: Record<string, Value>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}
