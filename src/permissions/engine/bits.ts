import { type Role, roles } from '../../core/roles.ts'

/**
 * The facts of a check are one integer:
 *
 * | 0 to 15  | `grant` and `actionFact` (`access.ts`)                                |
 * | 16 to 21 | the status of the subject: `statusBit`                                |
 * | 22 on    | the role of the subject in the workspace of the resource: 0 for none, |
 * |          | otherwise 1 + its index in `roles`                                    |
 *
 * The status of a subject is the same integer without the bits below 16.
 */
export const statusBit = {
  known: 1 << 16,
  active: 1 << 17,
  denied: 1 << 18,
  admin: 1 << 19,
  /** The subject is anonymous, or names a user who does not exist. */
  anonymous: 1 << 20,
  /** The subject is a service account. */
  serviceAccount: 1 << 21,
} as const

export const roleShift = 22

/** Returns the role in the bits of a check or a status. */
export function roleOf(bits: number): Role | undefined {
  return roles[(bits >> roleShift) - 1]
}

/** Returns the bits of a check or a status with another role. */
export function withRole(bits: number, role: Role): number {
  return (bits & ((1 << roleShift) - 1)) | roleBits(role)
}

/** Returns SQL for the bits of the role in a column, which may be null. */
export function roleBitsSql(column: string): string {
  const cases = roles.map((role) => `when '${role}' then ${roleBits(role)}`)
  return `case ${column} ${cases.join(' ')} else 0 end`
}

/** Returns the bits of a role. */
export function roleBits(role: Role | null): number {
  return role === null ? 0 : (roles.indexOf(role) + 1) << roleShift
}
