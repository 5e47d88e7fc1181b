import { type Role, roles } from '../../core/roles.ts'
import { memberFact } from '../access.ts'

/**
 * The facts of a check are one integer:
 *
 * | 0 to 15  | `grant`, `actionFact` and `delegationFact` (`access.ts`)              |
 * | 16 to 22 | the status of the subject: `statusBit`                                |
 * | 23 on    | the role of the subject in the workspace of the resource: 0 for none, |
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
  /** The subject is a guest of the workspace of the resource, as the role is its role there. */
  ...memberFact,
} as const

export const roleShift = 23

/** Returns the role in the bits of a check or a status. */
export function roleOf(bits: number): Role | undefined {
  return roles[(bits >> roleShift) - 1]
}

/** What bits say of a membership. The role is null, and no one a guest, without one. */
export type Membership = { role: Role | null; isGuest: boolean }

/** Returns the bits of a check or a status with another membership. */
export function withMembership(bits: number, membership: Membership): number {
  const others = ((1 << roleShift) - 1) & ~statusBit.guest
  return (bits & others) | membershipBits(membership)
}

/** Returns SQL for the bits of the row `alias` of `live_members`, whose columns may be null. */
export function membershipBitsSql(alias: string): string {
  const cases = roles.map(
    (role) => `when '${role}' then ${membershipBits({ role, isGuest: false })}`,
  )
  return `case ${alias}.role ${cases.join(' ')} else 0 end
      | case when ${alias}.is_guest then ${statusBit.guest} else 0 end`
}

/** Returns the bits of a membership. */
export function membershipBits({ role, isGuest }: Membership): number {
  const ofRole = role === null ? 0 : (roles.indexOf(role) + 1) << roleShift
  return ofRole | (isGuest ? statusBit.guest : 0)
}
