import type { Database } from '../../database/database.ts'
import { findAgent } from '../../permissions/engine/find-agent.ts'
import { findActiveUser } from '../../permissions/engine/find-subject.ts'
import type { Config } from '../config.ts'
import { createDecisionLog, createLineWriter } from './decision-log.ts'

/** Returns the log of decisions, or undefined if it is off. */
export function openDecisionLog(
  { DECISION_LOG: decisions, DECISION_LOG_SAMPLE: sample }: Config,
  { statements }: Database,
  write = createLineWriter(),
) {
  if (decisions === 'off') return undefined
  return createDecisionLog({
    decisions,
    sample,
    findUser: (subject) => findActiveUser(statements, subject),
    findAgent: (delegationId) => findAgent(statements, delegationId),
    write,
  })
}
