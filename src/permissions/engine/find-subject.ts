import type { Statements } from '../../database/statement-pool.ts'
import { statusBit } from './bits.ts'
import { subjectParameters } from './parameters.ts'
import type { Subject } from './question.ts'
import { groupSubjectSql, subjectSql } from './statements/reasons.ts'

/**
 * Returns the ID of the user whom a subject names, or undefined if there is none, the user is
 * inactive, or the token has been revoked. For a group, returns its ID if it exists.
 */
export async function findActiveUser(
  statements: Statements,
  subject: Subject,
): Promise<string | undefined> {
  const { groupId } = subject
  const parameters = subjectParameters([groupId === undefined ? subject : { userId: groupId }])
  const [name, sql] =
    groupId === undefined ? ['subject', subjectSql] : ['group subject', groupSubjectSql]
  const [row] = await statements.rows<[string | null, number]>(name, sql, parameters)
  const [userId, status] = row ?? [null, 0]
  const isActive = (status & (statusBit.active | statusBit.denied)) === statusBit.active
  return isActive && userId !== null ? userId : undefined
}
