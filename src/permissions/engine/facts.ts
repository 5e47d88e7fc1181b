import type { Caller, PrincipalStatus } from '../../core/caller.ts'
import type { RequestScope } from '../../core/request-scope.ts'
import { grant, isAllowed } from '../access.ts'
import { roleOf, statusBit } from './bits.ts'
import type { Check, Subject } from './question.ts'
import type { KeyStatus } from './statements/status.ts'

/** A query for the status of a caller and the facts of checks. */
export type FactsQuery = Caller & { checks: Check[] }

/** The status of the caller, and the IDs of the users whom subjects of checks name otherwise. */
export type CheckedStatus = { status: PrincipalStatus; userIds?: Map<Subject, string> | undefined }

/** The status of the caller, and the fact of each check, in order. */
export type Loaded<Fact> = CheckedStatus & { facts: Fact[] }

/** Loads the current facts. Stops waiting when the scope is cancelled. */
export type Load<Fact> = (query: FactsQuery, scope?: RequestScope) => Promise<Loaded<Fact>>

/** Loads the facts of each check as bits (`bits.ts`). */
export type LoadFacts = Load<number>

/** Decides a check from its facts. Without facts, the action is not allowed. */
export function decide(action: string, bits = 0): boolean {
  const isActive = (bits & (statusBit.active | statusBit.denied)) === statusBit.active
  // Nothing but `public` counts for anonymous subjects and for resources of other workspaces: the
  // role of the subject is then not a role in the workspace of the resource.
  if (!isActive && (bits & statusBit.anonymous) === 0) return false
  const isMember = isActive && (bits & grant.registered) !== 0
  return isMember
    ? isAllowed(roleOf(bits), action, bits)
    : isAllowed(undefined, action, bits & (grant.public | grant.barred | grant.uncovered))
}

/** Reads the bits of a caller's status, and the status of the key that the caller presents, if any. */
export function readStatus(
  bits: number,
  keysRequired: boolean,
  key: KeyStatus | null | undefined,
): PrincipalStatus {
  return {
    service: key?.[0] || undefined,
    routesVersion: key?.[1] ?? undefined,
    keysRequired,
    tokenDenied: (bits & statusBit.denied) !== 0,
    userActive: (bits & statusBit.active) !== 0,
    userAdmin: (bits & statusBit.admin) !== 0,
    isServiceAccount: (bits & statusBit.serviceAccount) !== 0,
    role: roleOf(bits),
    isGuest: (bits & statusBit.guest) !== 0,
  }
}
