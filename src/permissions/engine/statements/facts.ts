import type { Ancestry } from '../chain.ts'
import type { GroupLookup } from '../grants/grant-kind.ts'
import { askOfSubjects, checkBits, checksFrom, grantBits, namedUserIds } from './checks.ts'
import { type KeyStatus, keyStatusColumns } from './status.ts'

/**
 * The facts of checks, in one row: whether keys are required, the status of each key, the status
 * of each subject, the bits of each check, and `namedUserIds`. The last three are array literals,
 * because sending and parsing a row for each check would take longer than the lookups.
 */
function createFactsSql(ancestry: Ancestry, lookup: GroupLookup) {
  return askOfSubjects(
    (kind) => `select ${keyStatusColumns('$12')},
  (select statuses::text from subjects),
  (
    select array_agg(${checkBits(ancestry, grantBits[ancestry](lookup), kind)} order by q.position)::text
    from ${checksFrom(ancestry, kind)}
  ),
  ${namedUserIds(kind)}`,
  )
}

/** The facts statements for each combination of `Ancestry` and `GroupLookup`. */
export const factsSql = {
  ownGrants: {
    perGroup: createFactsSql('ownGrants', 'perGroup'),
    groupSet: createFactsSql('ownGrants', 'groupSet'),
  },
  withAncestors: {
    perGroup: createFactsSql('withAncestors', 'perGroup'),
    groupSet: createFactsSql('withAncestors', 'groupSet'),
  },
}

/** The row of the facts statement. */
export type FactsRow = [
  keysRequired: boolean,
  keys: KeyStatus[] | null,
  statuses: string,
  bits: string | null,
  userIds: string | null,
]
