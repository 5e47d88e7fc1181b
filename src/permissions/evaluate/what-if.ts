import type {
  PermissionExplanation,
  WhatIfRequest,
} from '../../../gen/daikon/v1/admin_permissions.ts'
import { invalidArgument } from '../../core/errors.ts'
import type { Handler } from '../../core/request-context.ts'
import type { Agent } from '../conditions/variables.ts'
import type { Explanation } from '../engine/load-reasons.ts'
import type { Subject } from '../engine/question.ts'
import { subjectKinds, typeOf } from '../engine/subjects/subject-kinds.ts'
import { requireResource } from '../resource.ts'
import { keyOf } from '../store/resource-sql.ts'
import type { AccessDependencies } from './access-dependencies.ts'
import { readAssumptions, type WhatIfStores } from './assumptions.ts'
import { explainPermission, requireListedSubject } from './permission-subjects.ts'

/**
 * Creates the handler that explains to administrators what a subject could do with further shares,
 * custom roles, another membership or an agent. The engine adds them to the facts that it has read, so nothing
 * is written.
 */
export function createWhatIf({
  engine,
}: AccessDependencies): Handler<WhatIfRequest, PermissionExplanation, WhatIfStores> {
  return async (
    call,
    { permission_id, subject: requested, action, context, agent, with: assumptions },
  ) => {
    const resource = await requireResource(call.stores, call.principal, { permission_id })
    const named = { type: requested?.type ?? '', id: requested?.id ?? '' }
    const subject = requireListedSubject(named, 'subject.id')
    const type = typeOf(subject)
    const isGrantee = type !== 'anonymous' && subjectKinds[type].hasRole
    const subjectId = isGrantee ? await engine.findActiveUser(subject) : undefined
    const question = { resource, action, subject, subjectId }
    const assumed = await readAssumptions(engine, call, question, assumptions)
    const ofAgent = agent && { agent: readAgent(subject, agent) }
    const check = { ...keyOf(resource), action, subject, input: { context }, assumed, ...ofAgent }
    const [explanation] = await engine.loadReasons([check])
    return explainPermission(named, action, resource, explanation as Explanation)
  }
}

/** Returns the agent that is assumed. A delegation has its own. */
function readAgent({ delegationId }: Subject, { type, id }: Agent): Agent {
  if (delegationId === undefined) return { type, id }
  throw invalidArgument({ field: 'agent', message: 'must be absent for a delegation' })
}
