import { atLeast, type Role, roles } from '../core/roles.ts'

/** A role that a connection can give. */
export type MappedRole = Exclude<Role, 'owner'>

/** The role and the groups that members get from the values of claims. */
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

export const mappedRoles: readonly MappedRole[] = roles.filter((role) => role !== 'owner')

/** Returns the texts of a claim, which may be a text or a list. */
export function readClaimValues(value: unknown): string[] {
  const values = Array.isArray(value) ? value : [value]
  return values.filter((item) => typeof item === 'string')
}

/** Returns the highest role that the values give, or the default role if they give none. */
export function mapRole(
  { roles: byValue }: Pick<ConnectionMapping, 'roles'>,
  defaultRole: MappedRole,
  values: string[],
): MappedRole {
  const given = values.flatMap((value) => ownValue(byValue, value) ?? [])
  if (given.length === 0) return defaultRole
  return given.reduce((highest, role) => (atLeast(role, highest) ? role : highest))
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
  /** Undefined if the role stays as it is. */
  role: MappedRole | undefined
  /** Undefined if the groups stay as they are. */
  groups: ReturnType<typeof mapGroups> | undefined
  /** The claims of the mapping whose values are not in the token. */
  missing: string[]
}

/** Returns what the claims of a sign-in give. */
export function mapClaims(
  mapping: ConnectionMapping,
  defaultRole: MappedRole,
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
    role: roleValues && mapRole(mapping, defaultRole, roleValues),
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
