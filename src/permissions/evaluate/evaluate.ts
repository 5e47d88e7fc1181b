import type {
  AccessAction,
  AccessResource,
  AccessSubject,
  EvaluateBatchRequest,
  EvaluateBatchResponse,
  EvaluateRequest,
  Evaluation,
} from '../../../gen/daikon/v1/access.ts'
import { errorCodes } from '../../core/error-codes.ts'
import {
  type FieldViolation,
  invalidArgument,
  otherService,
  type ServiceError,
} from '../../core/errors.ts'
import type { Principal, ServicePrincipal } from '../../core/request-context.ts'
import type { DecisionHandler } from '../decision-handler.ts'
import type { Facts } from '../engine/ask.ts'
import { decide } from '../engine/facts.ts'
import type { Explanation } from '../engine/load-reasons.ts'
import type { Check, Kind } from '../engine/question.ts'
import { parseKind, parseResource } from '../resource-id.ts'
import type { AccessDependencies } from './access-dependencies.ts'
import { type BatchItem, findSubjectViolations, findViolations, readItems } from './batch-items.ts'
import { readInput } from './condition-input.ts'
import { describeDecision, describeInvalidRequest } from './decision-sentence.ts'
import { findReasons } from './reasons.ts'
import {
  describeSubjectError,
  noteUse,
  resolveSubject,
  resolveSubjects,
  type SubjectId,
} from './subject.ts'
import { findSubjectType, type NamedSubject } from './subject-table.ts'
import { findOtherServiceTypes, requireOwnType } from './type-ownership.ts'
import { toWireReason, type WireReason } from './wire-reason.ts'

/** Creates the handler that decides one evaluation. */
export function createEvaluate({
  engine,
  noteDelegationUse,
  ...naming
}: AccessDependencies): DecisionHandler<EvaluateRequest, Evaluation> {
  return {
    async questions(request, service) {
      requireValid(findSubjectViolations(request.subject))
      const named = await resolveSubject(naming, service, request.subject)
      return { checks: [toCheck(named, service, request)], basis: named }
    },
    async handle({ principal, now }, request, facts) {
      await requireOwnType(engine, principal, request.resource?.type ?? '')
      const named = facts.basis as NamedSubject
      const evaluation = toEvaluation(principal, request, facts, 0, named)
      if (evaluation.decision) noteUse(noteDelegationUse, named, now)
      return evaluation
    },
    logLevel: 'debug',
    outcomes: ({ decision }) => [decision],
  }
}

/**
 * Creates the handler that decides the evaluations of a batch, or the single evaluation of a
 * request without items.
 */
export function createEvaluateBatch({
  engine,
  noteDelegationUse,
  ...naming
}: AccessDependencies): DecisionHandler<EvaluateBatchRequest, EvaluateBatchResponse> {
  return {
    async questions(request, service) {
      const { evaluations, options: _, ...single } = request
      if (evaluations.length === 0) requireValid(findViolations(single))
      const items = readItems(request)
      const subjects = await resolveSubjects(
        naming,
        service,
        items.flatMap(({ request }) => request?.subject ?? []),
      )
      const checks = items.map(
        ({ request }) =>
          request?.subject && toCheck(subjects.get(request.subject) ?? {}, service, request),
      )
      return { checks, basis: { items, subjects } satisfies BatchBasis }
    },
    async handle({ principal, now }, request, facts) {
      const { items, subjects } = facts.basis as BatchBasis
      const types = items.map((item) => item.request?.resource?.type ?? '')
      const serviceName = principal.service?.name
      const others = await findOtherServiceTypes(engine, serviceName, types)
      const results = items.map((item, index) => {
        if (!item.request) return itemError(invalidArgument(...item.violations))
        if (!others.has(types[index] ?? '')) {
          const named = item.request.subject && subjects.get(item.request.subject)
          const evaluation = toEvaluation(principal, item.request, facts, index, named)
          if (evaluation.decision && named) noteUse(noteDelegationUse, named, now)
          return evaluation
        }
        const error = otherService(serviceName ?? '')
        if (request.evaluations.length === 0) throw error
        return itemError(error)
      })
      if (request.evaluations.length === 0) return { ...results[0], evaluations: [] }
      return { evaluations: truncate(results, request.options?.evaluations_semantic) }
    },
    logLevel: 'debug',
    outcomes: ({ decision, evaluations }) =>
      decision === undefined ? evaluations.map(({ decision }) => decision) : [decision],
  }
}

/** The items of a batch, with whom their subjects name. */
type BatchBasis = { items: BatchItem[]; subjects: Map<SubjectId, NamedSubject> }

function requireValid(violations: FieldViolation[]): void {
  if (violations.length > 0) throw invalidArgument(...violations)
}

/** Returns undefined if the subject or the resource cannot exist. */
function toCheck(
  { subject: subjectName }: NamedSubject,
  service: ServicePrincipal | undefined,
  { subject, action, resource, context }: EvaluateRequest,
): Check | undefined {
  if (!subjectName || !action || !resource) return undefined
  const named = parseResource(service, resource)
  if (!named) return undefined
  const explain = context?.explain === true
  const input = readInput({ subject, action, resource, context })
  return { ...named, subject: subjectName, action: action.name, explain, input }
}

type Entities = { subject: AccessSubject; action: AccessAction; resource: AccessResource }

function toEvaluation(
  { service }: Principal,
  request: EvaluateRequest,
  { bits, explanations }: Facts,
  index: number,
  named: NamedSubject = {},
): Evaluation {
  // The rules of requests and items require a subject, an action and a resource.
  const entities = request as Entities
  const decision = decide(entities.action.name, bits[index])
  const subjectError = describeSubjectError(named)
  if (request.context?.explain !== true)
    return subjectError ? { decision, context: subjectError } : { decision }
  const explanation = findExplanation(entities.subject, service, explanations[index])
  const kind = parseKind(service?.name, entities.resource.type)
  const context =
    explanation && kind
      ? explain(entities, kind, explanation)
      : explainInvalid(entities, named.refusal)
  return { decision, context: { ...context, ...subjectError } }
}

/** Returns the explanation unless the subject is the delegation of another service, which names nobody. */
function findExplanation(
  { type }: AccessSubject,
  service: ServicePrincipal | undefined,
  explanation: Explanation | undefined,
): Explanation | undefined {
  if (type !== 'delegation' || service?.name === undefined) return explanation
  return explanation?.limits?.serviceName === service.name ? explanation : undefined
}

/** The explanation of a decision; AuthZEN defines `reason_admin`. */
type ExplanationContext = { reasons: WireReason[]; reason_admin: { en: string } }

function explain(
  { subject, action, resource: { id } }: Entities,
  kind: Kind,
  explanation: Explanation,
): ExplanationContext {
  const reasons = findReasons(action.name, explanation)
  const decision = { subject, action: action.name, resource: { ...kind, id }, reasons, explanation }
  return { reasons: reasons.map(toWireReason), reason_admin: { en: describeDecision(decision) } }
}

/** Explains the denial of a request without a check: its subject or its resource type is invalid. */
function explainInvalid(
  { subject, action, resource }: Entities,
  refusal = findSubjectType(subject.type)?.unnamed ?? undefined,
): ExplanationContext {
  const ofSubject = findSubjectType(subject.type) ? refusal?.rule : 'user_unknown'
  return {
    reasons: [{ rule: ofSubject ?? 'resource_unknown' }],
    reason_admin: { en: describeInvalidRequest(subject, action.name, resource, refusal?.cause) },
  }
}

/** Denies an item that cannot be decided and describes the error. */
function itemError({ code, reason, message, violations }: ServiceError): Evaluation {
  const error =
    code === 'invalid_argument'
      ? { status: 400, message, errors: violations }
      : { status: errorCodes[code].http, message, reason }
  return { decision: false, context: { error } }
}

/** Drops the results after the first one that decides the batch. */
function truncate(results: Evaluation[], semantic: string | undefined): Evaluation[] {
  if (semantic !== 'deny_on_first_deny' && semantic !== 'permit_on_first_permit') return results
  const deciding = semantic === 'permit_on_first_permit'
  const index = results.findIndex(({ decision }) => decision === deciding)
  return index === -1 ? results : results.slice(0, index + 1)
}
