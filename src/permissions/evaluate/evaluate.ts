import type {
  EvaluateBatchRequest,
  EvaluateBatchResponse,
  EvaluateRequest,
  Evaluation,
} from '../../../gen/daikon/v1/access.ts'
import { type FieldViolation, invalidArgument } from '../../core/errors.ts'
import type { Principal } from '../../core/request-context.ts'
import { type Decision, defineDecision } from '../decision.ts'
import type { AccessDependencies } from './access-dependencies.ts'
import { findSubjectViolations, findViolations, readItem } from './batch-items.ts'
import { explain } from './explain.ts'
import { decide, type NamedCheck } from './load-evaluations.ts'
import { nameResource } from './resource-id.ts'
import { createNameSubject, type NameSubject } from './subject.ts'

/** Decides one evaluation. */
export function createEvaluate(
  dependencies: AccessDependencies,
): Decision<EvaluateRequest, Evaluation> {
  return defineDecision({
    checks: () => [],
    async handle({ principal }, request) {
      const violations = findSubjectViolations(request.subject)
      if (violations.length > 0) throw invalidArgument(...violations)
      const [result] = await evaluateAll(dependencies, principal, [request])
      return result as Evaluation
    },
    answers: ({ decision }) => [decision],
  })
}

/** Decides the evaluations of a batch, or the one of a request without items. */
export function createEvaluateBatch(
  dependencies: AccessDependencies,
): Decision<EvaluateBatchRequest, EvaluateBatchResponse> {
  return defineDecision({
    checks: () => [],
    async handle(
      { principal },
      { evaluations, options, ...defaults },
    ): Promise<EvaluateBatchResponse> {
      if (evaluations.length === 0) {
        const violations = findViolations(defaults)
        if (violations.length > 0) throw invalidArgument(...violations)
        const [result] = await evaluateAll(dependencies, principal, [defaults as EvaluateRequest])
        return { ...result, evaluations: [] }
      }
      const items = evaluations.map((item) => readItem(item, defaults))
      const valid = items.flatMap((item) => ('request' in item ? [item.request] : []))
      const results = (await evaluateAll(dependencies, principal, valid)).values()
      const all = items.map((item) =>
        'request' in item ? (results.next().value as Evaluation) : itemError(item.violations),
      )
      return { evaluations: truncate(all, options?.evaluations_semantic) }
    },
    answers: ({ decision, evaluations }) =>
      decision === undefined ? evaluations.map(({ decision }) => decision) : [decision],
  })
}

async function evaluateAll(
  { statements, tokens, loadEvaluations }: AccessDependencies,
  principal: Principal,
  requests: EvaluateRequest[],
): Promise<Evaluation[]> {
  const nameSubject = createNameSubject(tokens)
  const checks = await Promise.all(
    requests.map((request) => toCheck(nameSubject, principal, request)),
  )
  const facts = await loadEvaluations(checks.filter((check) => check !== undefined))
  const loaded = facts.values()
  const results: Evaluation[] = []
  for (const [index, check] of checks.entries()) {
    const checkFacts = check && loaded.next().value
    const evaluation: Evaluation = { decision: decide(checkFacts, check?.action ?? '') }
    const request = requests[index]
    if (request?.context?.explain === true) {
      const reasons = await explain(statements, check, checkFacts)
      evaluation.context = { reasons: check || !isUser(request) ? reasons : unknownResource }
    }
    results.push(evaluation)
  }
  return results
}

const unknownResource = [{ rule: 'resource_unknown' }]

/** Whether the subject can exist, so that it is the resource that cannot. */
function isUser({ subject }: EvaluateRequest): boolean {
  return subject?.type === 'user'
}

/** Undefined when the subject or the resource cannot exist. */
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

/** An invalid item is denied. */
function itemError(violations: FieldViolation[]): Evaluation {
  const { message } = invalidArgument(...violations)
  return { decision: false, context: { error: { status: 400, message, errors: violations } } }
}

/** Ends the results with the first one that decides the batch. */
function truncate(results: Evaluation[], semantic: string | undefined): Evaluation[] {
  if (semantic !== 'deny_on_first_deny' && semantic !== 'permit_on_first_permit') return results
  const deciding = semantic === 'permit_on_first_permit'
  const index = results.findIndex(({ decision }) => decision === deciding)
  return index === -1 ? results : results.slice(0, index + 1)
}
