import type { Statements } from '../../../database/statement-pool.ts'
import { createCallWork, isUnused } from '../../conditions/work.ts'
import { membershipBits, statusBit } from '../bits.ts'
import { countJudged, isUncertain, type LoadJudged } from '../conditions/judged-facts.ts'
import { decide } from '../facts.ts'
import type { Check, SubjectCheck } from '../question.ts'
import { type ActionKind, type SubjectRow, subjectsSql } from '../statements/subjects.ts'

/** The maximum number of users that one statement decides. */
const batchSize = 1000

/** A user who may perform an action. */
export type AllowedUser = { id: string; externalId: string | null; email: string; name: string }

/**
 * The subjects of a page. `nextAfter` is set if the page ends early, because conditions need more work
 * than a call may take, or because few subjects were found: the ID after which the next page starts.
 */
export type FoundSubjects<Found> = { found: Found[]; nextAfter?: string }

/** The maximum number of batches in which subjects are judged by conditions for a page. */
export const maxJudgedBatches = 4

/**
 * Finds up to `limit` users with an ID after `after` who may perform the action of a check, ordered
 * by ID. With `withPossible`, also those who might if every condition were true.
 */
export type FindSubjects = (
  check: Omit<Check, 'subject'>,
  after: string,
  limit: number,
  options?: { withPossible?: boolean },
) => Promise<FoundSubjects<AllowedUser>>

/** $1 service name, $2 name. Returns a row if the service registered the action. */
const registeredActionSql = 'select 1 from service_actions where service_name = $1 and name = $2'

/**
 * Finds subjects in PostgreSQL. The statement that finds candidates also returns the facts that
 * decide built-in actions.
 */
export function createFindSubjects(statements: Statements, loadJudged: LoadJudged): FindSubjects {
  return async (check, after, limit, { withPossible = false } = {}) => {
    const { serviceName, resourceType, resourceId, action } = check
    const kind = await findActionKind(serviceName, action)
    const found: AllowedUser[] = []
    if (!kind) return { found }
    const work = createCallWork()
    let last = after
    for (let judged = 0; ; ) {
      const size = Math.min(batchSize, Math.max(limit, 100))
      const values = [serviceName, resourceType, resourceId, last, size, kind, action]
      const rows = await statements.rows<SubjectRow>('subjects', subjectsSql, values)
      const bits = rows.map(readBits)
      const uncertain = [...bits.keys()].filter((index) => isUncertain(bits[index] as number))
      const unknown = kind === 'registered' ? [...bits.keys()] : uncertain
      const checks = unknown.map((index) => toCheck(check, rows[index] as SubjectRow))
      const wasUnused = isUnused(work)
      const facts = await loadJudged(checks, work)
      for (const [position, index] of unknown.entries()) {
        const judged = facts.bits[position] as number
        bits[index] = withPossible ? (facts.bitsIfTrue?.get(position) ?? judged) : judged
      }
      const end = facts.exceededAt === undefined ? undefined : unknown[facts.exceededAt]
      const count = countJudged(rows.length, { exceededAt: end }, wasUnused)
      for (const [index, row] of rows.slice(0, count).entries()) {
        const [id, externalId, email, name, , role] = row
        last = id
        // Users who are not members may view public resources, but are not listed.
        if (role === null || !decide(action, bits[index])) continue
        found.push({ id, externalId, email, name })
        if (found.length === limit) return { found }
      }
      if (count < rows.length) return { found, nextAfter: last }
      if (rows.length < size) return { found }
      if (uncertain.length > 0) judged += 1
      if (judged === maxJudgedBatches) return { found, nextAfter: last }
    }
  }

  /** Returns undefined if the service has not registered the action: then no one may perform it. */
  async function findActionKind(
    serviceName: string,
    action: string,
  ): Promise<ActionKind | undefined> {
    if (action === 'view' || action === 'edit' || action === 'manage') return action
    const values = [serviceName, action]
    const rows = await statements.rows('registered action', registeredActionSql, values)
    return rows.length > 0 ? 'registered' : undefined
  }
}

function toCheck(check: Omit<Check, 'subject'>, [userId]: SubjectRow): SubjectCheck {
  return { ...check, subject: { userId } }
}

function readBits([, , , , isActive, role, isGuest, grants]: SubjectRow): number {
  const membership = membershipBits({ role, isGuest: isGuest === true })
  return statusBit.known | (isActive ? statusBit.active : 0) | membership | grants
}
