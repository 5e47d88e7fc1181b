import type { Statements } from '../../database/statement-pool.ts'
import { statusBit } from './bits.ts'
import { subjectParameters } from './parameters.ts'
import type { Subject } from './question.ts'
import { subjectSql } from './statements/reasons.ts'
import { kindOf, statementName } from './subjects/subject-kinds.ts'

/**
 * Returns the ID of a subject, or undefined if it does not exist, is inactive, or its token has been
 * revoked.
 */
export async function findActiveUser(
  statements: Statements,
  subject: Subject,
): Promise<string | undefined> {
  const kind = kindOf(subject)
  const [row] = await statements.rows<[string | null, number]>(
    statementName('subject', kind),
    subjectSql[kind],
    subjectParameters([subject]),
  )
  const [id, status] = row ?? [null, 0]
  const isActive = (status & (statusBit.active | statusBit.denied)) === statusBit.active
  return isActive && id !== null ? id : undefined
}
