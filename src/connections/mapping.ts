import { atLeast, type Role, roles } from '../core/roles.ts'

/** A role that a connection can give. */
export type MappedRole = Exclude<Role, 'owner'>

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

/** What the claims of a sign-in give; undefined where they change nothing. */
export function mapClaims(
  mapping: ConnectionMapping,
  defaultRole: MappedRole,
  claims: Record<string, unknown>,
): { role: MappedRole | undefined; groups: ReturnType<typeof mapGroups> | undefined } {
  const { roleClaim, groupsClaim } = mapping
  const read = (name: string) => readClaimValues(ownValue(claims, name))
  return {
    role: roleClaim === undefined ? undefined : mapRole(mapping, defaultRole, read(roleClaim)),
    groups: groupsClaim === undefined ? undefined : mapGroups(mapping, read(groupsClaim)),
  }
}

function ownValue<Value>(record: Record<string, Value>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}
