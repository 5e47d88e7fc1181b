import type { AccessSubject } from '../../../gen/daikon/v1/access.ts'
import type {
  AccessReason,
  ExplainPermissionRequest,
  ListPermissionSubjectsRequest,
  PermissionExplanation,
  PermissionSubject,
  PermissionSubjectPage,
} from '../../../gen/daikon/v1/admin_permissions.ts'
import { invalidArgument } from '../../core/errors.ts'
import type { Handler } from '../../core/request-context.ts'
import { decide } from '../engine/facts.ts'
import { readPageToken, requireOfContext, writePageToken } from '../engine/lists/page-token.ts'
import type { Explanation, LoadReasons } from '../engine/load-reasons.ts'
import type { Subject, SubjectCheck } from '../engine/question.ts'
import { requireResource } from '../resource.ts'
import { keyOf, type Resource } from '../store/resource-sql.ts'
import type { ResourceStore } from '../store/resource-store.ts'
import type { AccessDependencies } from './access-dependencies.ts'
import { describeDecision } from './decision-sentence.ts'
import { findPossibleReasons, findReasons, type Reason } from './reasons.ts'
import { findSubjectType } from './subject-table.ts'
import { toWireReason } from './wire-reason.ts'

type SubjectStores = { resources: ResourceStore }

/**
 * Creates the handler that explains to administrators whether a subject may perform an action on a
 * resource.
 */
export function createExplainPermission({
  engine,
}: AccessDependencies): Handler<ExplainPermissionRequest, PermissionExplanation, SubjectStores> {
  return async ({ stores, principal }, request) => {
    const { permission_id, user_id, subject_type, subject_id = '', action, context } = request
    const { delegation_id } = request
    const resource = await requireResource(stores, principal, { permission_id })
    const subject =
      subject_type === undefined
        ? { type: 'user', id: user_id }
        : { type: subject_type, id: subject_id }
    const named = requireListedSubject(subject, 'subject_id')
    const check = { ...keyOf(resource), action, subject: named, input: { context } }
    const explanation = await explainAgent(engine.loadReasons, check, delegation_id)
    if (explanation) return explainPermission(subject, action, resource, explanation)
    throw invalidArgument({ field: 'delegation_id', message: 'must be a delegation of the user' })
  }
}

/**
 * Explains a check of a user, or of a delegation of the user if there is one. Returns undefined if the
 * user has no such delegation.
 */
export async function explainAgent(
  loadReasons: LoadReasons,
  check: SubjectCheck,
  delegationId: string | undefined,
): Promise<Explanation | undefined> {
  if (delegationId === undefined) return (await loadReasons([check]))[0]
  const ofAgent = { ...check, subject: { delegationId } }
  const [ofUser, explanation] = await loadReasons([check, ofAgent])
  if (ofUser?.kind !== 'user' || ofUser.userId === undefined) return undefined
  return explanation?.userId === ofUser.userId ? explanation : undefined
}

/** Returns whom an administrator names. `field` is the field of the request with the ID. */
export function requireListedSubject(
  { type, id }: Pick<AccessSubject, 'type' | 'id'>,
  field: string,
): Subject {
  if (id === '' && type !== 'anonymous') throw invalidArgument({ field, message: 'is required' })
  const named = findSubjectType(type)?.nameListed?.(id)
  if (!named) throw invalidArgument({ field, message: 'must be a UUID' })
  return named
}

/** Builds the explanation of a decision for administrators. */
export function explainPermission(
  subject: Pick<AccessSubject, 'type' | 'id'>,
  action: string,
  resource: Resource,
  explanation: Explanation,
): PermissionExplanation {
  const reasons = findReasons(action, explanation)
  const named = { ...keyOf(resource), id: resource.resourceId }
  return {
    decision: decide(action, explanation.bits),
    reasons: reasons.map(toMessage),
    sentence: describeDecision({ subject, action, resource: named, reasons, explanation }),
  }
}

/**
 * Creates the handler that lists for administrators the users who may perform an action on a
 * resource, or might if conditions were met, ordered by user ID, with the reasons.
 */
export function createListPermissionSubjects({
  engine,
}: AccessDependencies): Handler<
  ListPermissionSubjectsRequest,
  PermissionSubjectPage,
  SubjectStores
> {
  return async ({ stores, principal }, request) => {
    const { permission_id, action = 'view', page_size = 20, page_token, context } = request
    requireOfContext(page_token, context)
    const resource = await requireResource(stores, principal, { permission_id })
    const check = { ...keyOf(resource), action, input: { context } }
    const after = readPageToken(page_token)
    const { found, nextAfter } = await engine.findSubjects(check, after, page_size + 1, {
      withPossible: true,
    })
    const users = found.slice(0, page_size)
    const checks = users.map(({ id }) => ({ ...check, subject: { userId: id } }))
    const explanations = await engine.loadReasons(checks)
    const last = found.length > users.length ? users.at(-1)?.id : nextAfter
    return {
      items: users.flatMap(({ id, email, name }, index) => {
        const access = explanations[index] && describeAccess(action, explanations[index])
        // The user may have lost access since the candidates were read.
        return access ? [{ user_id: id, email, name, ...access }] : []
      }),
      ...(last && { next_page_token: writePageToken(last, context) }),
    }
  }
}

/** Returns why a user may perform an action, or might, or undefined if neither is true. */
function describeAccess(
  action: string,
  explanation: Explanation,
): Pick<PermissionSubject, 'reasons' | 'conditional' | 'conditions'> | undefined {
  if (decide(action, explanation.bits)) {
    const reasons = findReasons(action, explanation).map(toMessage)
    return { reasons, conditional: false, conditions: [] }
  }
  const possible = findPossibleReasons(action, explanation)
  if (!possible) return undefined
  const { reasons, conditions } = possible
  return { reasons: reasons.map(toMessage), conditional: true, conditions }
}

function toMessage(found: Reason): AccessReason {
  const { via = [], missing = [], ...reason } = toWireReason(found)
  return { ...reason, via, missing: [...missing] }
}
