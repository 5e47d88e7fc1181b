import type {
  EvaluateBatchRequest,
  EvaluateBatchResponse,
  EvaluateRequest,
  Evaluation,
} from '../../../gen/daikon/v1/access.ts'
import { type FieldViolation, invalidArgument } from '../../core/errors.ts'
import type { Principal, ServicePrincipal } from '../../core/request-context.ts'
import { defineSubjectDecision, type PreparedChecks, type SubjectDecision } from '../decision.ts'
import type { AccessDependencies } from './access-dependencies.ts'
import { findSubjectViolations, findViolations, readItem } from './batch-items.ts'
import { findReasons, type Reason } from './explain.ts'
import { decide, type EvaluationFacts, type NamedCheck } from './load-evaluations.ts'
import type { Explanation } from './load-explanations.ts'
import { nameResource } from './resource-id.ts'
import { createNameSubject, type NameSubject } from './subject.ts'

/** Creates the handler that decides one evaluation. */
export function createEvaluate(
  dependencies: AccessDependencies,
): SubjectDecision<EvaluateRequest, Evaluation> {
  return defineSubjectDecision({
    async prepare(request, service) {
      const violations = findSubjectViolations(request.subject)
      if (violations.length > 0) return reject(violations)
      return prepareOne(dependencies, service, request)
    },
    outcomes: ({ decision }) => [decision],
  })
}

/**
 * Creates the handler that decides the evaluations of a batch, or the single evaluation of a
 * request without items.
 */
export function createEvaluateBatch(
  dependencies: AccessDependencies,
): SubjectDecision<EvaluateBatchRequest, EvaluateBatchResponse> {
  return defineSubjectDecision<EvaluateBatchRequest, EvaluateBatchResponse>({
    async prepare({ evaluations, options, ...defaults }, service) {
      if (evaluations.length === 0) {
        const violations = findViolations(defaults)
        if (violations.length > 0) return reject(violations)
        const single = await prepareOne(dependencies, service, defaults as EvaluateRequest)
        const respond = async (facts: EvaluationFacts[]) => ({
          ...(await single.respond(facts)),
          evaluations: [],
        })
        return { checks: single.checks, respond }
      }
      const items = evaluations.map((item) => readItem(item, defaults))
      const valid = items.flatMap((item) => ('request' in item ? [item.request] : []))
      const prepared = await prepareAll(dependencies, service, valid)
      return {
        checks: prepared.checks,
        async respond(facts) {
          const results = (await prepared.respond(facts)).values()
          const all = items.map((item) =>
            'request' in item ? (results.next().value as Evaluation) : itemError(item.violations),
          )
          return { evaluations: truncate(all, options?.evaluations_semantic) }
        },
      }
    },
    outcomes: ({ decision, evaluations }) =>
      decision === undefined ? evaluations.map(({ decision }) => decision) : [decision],
  })
}

function reject(violations: FieldViolation[]): PreparedChecks<never> {
  return {
    checks: [],
    respond() {
      throw invalidArgument(...violations)
    },
  }
}

async function prepareOne(
  dependencies: AccessDependencies,
  service: ServicePrincipal,
  request: EvaluateRequest,
): Promise<PreparedChecks<Evaluation>> {
  const { checks, respond } = await prepareAll(dependencies, service, [request])
  return { checks, respond: async (facts) => (await respond(facts))[0] as Evaluation }
}

/**
 * Prepares evaluations. Those that request an explanation are not among the returned checks,
 * because the statement that loads their explanations also loads the facts that decide them.
 */
async function prepareAll(
  { tokens, loadExplanations }: AccessDependencies,
  service: ServicePrincipal,
  requests: EvaluateRequest[],
): Promise<PreparedChecks<Evaluation[]>> {
  const nameSubject = createNameSubject(tokens)
  const items = await Promise.all(
    requests.map(async (request) => ({
      request,
      check: await toCheck(nameSubject, { service }, request),
      isExplained: request.context?.explain === true,
    })),
  )
  const checksOf = (isExplained: boolean) =>
    items.flatMap((item) => (item.check && item.isExplained === isExplained ? [item.check] : []))
  return {
    checks: checksOf(false),
    async respond(facts) {
      const nextFacts = facts.values()
      const nextExplanation = (await loadExplanations(checksOf(true))).values()
      return items.map(({ request, check, isExplained }) => {
        if (!check) {
          const context = { reasons: unknownReasons(request) }
          return { decision: false, ...(isExplained && { context }) }
        }
        if (!isExplained) return { decision: decide(nextFacts.next().value, check.action) }
        const explanation = nextExplanation.next().value as Explanation
        const reasons = findReasons(check.action, explanation)
        return { decision: decide(explanation, check.action), context: { reasons } }
      })
    },
  }
}

/**
 * Returns the reason for denying a request without a check. A subject of type `user` always yields
 * a name to look up, so for such a subject it is the resource type that is invalid.
 */
function unknownReasons({ subject }: EvaluateRequest): Reason[] {
  return [{ rule: subject?.type === 'user' ? 'resource_unknown' : 'user_unknown' }]
}

/** Returns undefined if the subject or the resource cannot exist. */
async function toCheck(
  nameSubject: NameSubject,
  principal: Principal,
  { subject, action, resource }: EvaluateRequest,
): Promise<NamedCheck | undefined> {
  if (!subject || !action || !resource) return undefined
  const named = nameResource(principal, resource)
  const subjectName = named && (await nameSubject(subject))
  return subjectName && { ...named, subject: subjectName, action: action.name }
}

/** Denies an invalid item and describes what is wrong with it. */
function itemError(violations: FieldViolation[]): Evaluation {
  const { message } = invalidArgument(...violations)
  return { decision: false, context: { error: { status: 400, message, errors: violations } } }
}

/** Drops the results after the first one that decides the batch. */
function truncate(results: Evaluation[], semantic: string | undefined): Evaluation[] {
  if (semantic !== 'deny_on_first_deny' && semantic !== 'permit_on_first_permit') return results
  const deciding = semantic === 'permit_on_first_permit'
  const index = results.findIndex(({ decision }) => decision === deciding)
  return index === -1 ? results : results.slice(0, index + 1)
}
