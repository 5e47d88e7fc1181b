import type { Caller, PrincipalStatus } from '../../../core/caller.ts'
import type { RequestScope } from '../../../core/request-scope.ts'
import type { ListQuestion } from '../question.ts'
import { idSeparator } from '../statements/list.ts'
import type { SubjectId } from '../subjects/subject-kind.ts'

/**
 * A query for the status of a caller and the resources that the caller has access to, or that a subject
 * has of another kind than callers.
 */
export type ListQuery = Caller & SubjectId & ListQuestion

/** A list, and the status of the caller from the same snapshot. */
export type List = {
  status: PrincipalStatus
  /** The IDs from `firstId` on, ascending, joined by `idSeparator`. */
  joinedIds: string
  hasFullAccess: boolean
  /** Whether the list depends on conditions. It is then empty until they have been judged. */
  isUncertain: boolean
  /** The first ID that has not been checked or judged, if the list ends early. */
  nextId?: string | undefined
}

/**
 * Loads the current IDs. Stops waiting when the scope is cancelled. The list is empty if the caller
 * is rejected.
 */
export type LoadList = (query: ListQuery, scope?: RequestScope) => Promise<List>

const idLength = 36

/** Returns the IDs of a list. */
export function splitIds(joinedIds: string): string[] {
  return joinedIds === '' ? [] : joinedIds.split(idSeparator)
}

export function countIds(joinedIds: string): number {
  return Math.ceil(joinedIds.length / (idLength + idSeparator.length))
}
