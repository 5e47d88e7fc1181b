import { arrayLiteral } from '../../database/sql-values.ts'
import { type FactsQuery, type Loaded, readStatus } from './facts.ts'
import type { GroupLookup } from './grants/grant-kind.ts'
import { createCheckTable, createKeyTable } from './parameters.ts'
import type { Subject } from './question.ts'
import type { KeyStatus } from './statements/status.ts'
import type { SubjectKindName } from './subjects/subject-kinds.ts'

/**
 * The minimum average number of checks per subject at which reading all groups of the subjects is
 * faster.
 */
const minChecksForGroupSet = 16

/**
 * The `burst` of statements that checks wait for
 * (docs/decisions/permissions.md#when-the-statement-of-waiting-checks-is-sent).
 */
export const checkBurst = 16

/** What a statement about checks returns of the callers and the subjects. */
type StatusColumns = {
  keysRequired: boolean
  keys: KeyStatus[] | null
  statuses: string
  userIds: string | null
}

/** Several queries that share one statement about checks. */
export type ChecksBatch = {
  lookup: GroupLookup
  /** $1 to $12 of `statements/checks.ts`. */
  parameters: string[]
  /** The position of the kind of each check, from 1. */
  kinds: number[]
  /** Returns the result of each query, in order. `facts` has one entry for each check of all queries. */
  split<Fact>(columns: StatusColumns, facts: Fact[]): Loaded<Fact>[]
}

/** Creates the batch of queries whose subjects are of one kind. */
export function createChecksBatch(queries: FactsQuery[], kind: SubjectKindName): ChecksBatch {
  const table = createCheckTable(kind)
  const keys = createKeyTable()
  const kinds: number[] = []
  const callers = queries.map((query) => {
    const { keyHash, checks } = query
    const subject = table.addSubject(query)
    for (const check of checks) {
      const position = check.subject ? table.addSubject(check.subject) : subject
      kinds.push(table.addCheck(check, position))
    }
    return { key: keyHash ? keys.add(keyHash) : 0, subject, checkCount: checks.length }
  })
  return {
    lookup: table.size() < minChecksForGroupSet * table.subjectCount() ? 'perGroup' : 'groupSet',
    parameters: [...table.parameters(), arrayLiteral(keys.hashes)],
    kinds,
    split(columns, facts) {
      const statusBits = readNumbers(columns.statuses)
      const userIds = readUserIds(table.subjects, columns.userIds)
      let offset = 0
      return callers.map(({ key, subject, checkCount }) => {
        const bits = statusBits[subject - 1] as number
        const status = readStatus(bits, columns.keysRequired, columns.keys?.[key - 1])
        offset += checkCount
        return { status, facts: facts.slice(offset - checkCount, offset), userIds }
      })
    },
  }
}

/** Reads an array literal such as `{1,2}`. */
export function readNumbers(literal: string): number[] {
  return literal.slice(1, -1).split(',').map(Number)
}

/** Reads the users of subjects that name them by something else than their ID. */
function readUserIds(
  subjects: readonly Subject[],
  literal: string | null,
): Map<Subject, string> | undefined {
  if (literal === null) return undefined
  const ids = literal.slice(1, -1).split(',')
  const userIds = new Map<Subject, string>()
  for (const [index, subject] of subjects.entries()) {
    const id = ids[index] as string
    if (subject.userId === undefined && id !== 'NULL') userIds.set(subject, id)
  }
  return userIds
}

/** Counts a query without checks as one row, for the status of its caller. */
export function countRows({ checks }: FactsQuery): number {
  return Math.max(checks.length, 1)
}

/** Counts queries against their workspace or, without a user, against their service key. */
export function callerOf({ workspaceId, keyHash, userId }: FactsQuery): string {
  return workspaceId ?? keyHash ?? userId ?? ''
}
