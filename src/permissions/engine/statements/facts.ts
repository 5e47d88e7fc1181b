import type { GroupLookup } from '../grants/grant-kind.ts'
import {
  type Ancestry,
  checkBits,
  checksFrom,
  grantBits,
  namedUserIds,
  subjectCtes,
} from './checks.ts'
import { groupTables } from './group-subjects.ts'
import { linkTables } from './link-subjects.ts'
import { type Ctes, toSql } from './statement.ts'
import { type KeyStatus, keyStatusColumns } from './status.ts'

/**
 * The facts of checks, in one row: whether keys are required, the status of each key, the status
 * of each subject, the bits of each check, and `namedUserIds`. The last three are array literals,
 * because sending and parsing a row for each check would take longer than the lookups.
 */
function createFactsSql(tables: Ctes, ancestry: Ancestry, lookup: GroupLookup): string {
  const select = `select ${keyStatusColumns('$12')},
  (select statuses::text from subjects),
  (
    select array_agg(${checkBits(ancestry, grantBits[ancestry](lookup))} order by q.position)::text
    from ${checksFrom[ancestry]}
  ),
  ${namedUserIds}`
  return toSql({ ctes: { ...tables, ...subjectCtes }, select })
}

/** Returns the facts statement for each combination of `Ancestry` and `GroupLookup`. */
function createStatements(tables: Ctes): Record<Ancestry, Record<GroupLookup, string>> {
  return {
    flagged: {
      probed: createFactsSql(tables, 'flagged', 'probed'),
      hashed: createFactsSql(tables, 'flagged', 'hashed'),
    },
    walked: {
      probed: createFactsSql(tables, 'walked', 'probed'),
      hashed: createFactsSql(tables, 'walked', 'hashed'),
    },
  }
}

export const factsSql = createStatements({})

/** The facts statements for checks of groups. */
export const groupFactsSql = createStatements(groupTables('$2::uuid[]'))

/** The facts statements for checks of links. */
export const linkFactsSql = createStatements(linkTables('$2::uuid[]'))

/** The row of the facts statement. */
export type FactsRow = [
  keysRequired: boolean,
  keys: KeyStatus[] | null,
  statuses: string,
  bits: string | null,
  userIds: string | null,
]
