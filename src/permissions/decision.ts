import type { Principal, ServicePrincipal } from '../core/request-context.ts'
import type { RequestScope } from '../core/request-scope.ts'
import type { EvaluationFacts, NamedCheck } from './evaluate/load-evaluations.ts'
import type { FactsQuery, PermissionCheck, PrincipalStatus } from './facts.ts'

/** The input of a decision: the caller, and the facts loaded together with their status. */
export type DecisionContext = {
  principal: Principal
  /** For each check of the decision, the bits of `grant` and `actionFact` that apply. */
  grants: number[]
}

/** The checks of a request about named subjects, and how to respond once their facts are loaded. */
export type PreparedChecks<Response> = {
  checks: NamedCheck[]
  respond(facts: EvaluationFacts[]): Response | Promise<Response>
}

/**
 * Loads the status of a service key together with the facts of the checks that `prepare` returns.
 * The result has no `respond` if the key is not valid.
 */
export type LoadSubjectFacts = <Response>(
  keyHash: string | undefined,
  prepare: (service: ServicePrincipal) => Promise<PreparedChecks<Response>>,
  scope?: RequestScope,
) => Promise<{ status: PrincipalStatus; respond?: () => Response | Promise<Response> }>

/**
 * A handler that decides about named subjects. The facts of its checks are loaded together with the
 * status of the service key. `prepare` is first called with the service that the key was last known
 * to belong to, and again if the key turns out to belong to another one. It therefore must not
 * reject a request; `respond` may.
 */
export type SubjectDecision<Request, Response> = Pick<
  Decision<Request, Response>,
  'logLevel' | 'outcomes'
> & {
  prepare(request: Request, service: ServicePrincipal): Promise<PreparedChecks<Response>>
}

/** Identifies the caller whose status to load. */
export type CallerQuery = Omit<FactsQuery, 'checks'>

/**
 * A handler that lists what the caller has access to. One statement loads the list and the caller's
 * status, before the caller is authenticated. The list is discarded if the caller is rejected.
 */
export type ListDecision<Request, Response> = Pick<
  Decision<Request, Response>,
  'logLevel' | 'outcomes'
> & {
  load(
    request: Request,
    caller: CallerQuery,
    scope: RequestScope,
  ): Promise<{ status: PrincipalStatus; respond(): Response }>
}

/**
 * A handler that decides from facts alone. The facts of its checks are loaded together with the
 * caller's status.
 */
export type Decision<Request, Response> = {
  checks(request: Request): PermissionCheck[]
  handle(context: DecisionContext, request: Request): Response | Promise<Response>
  /** The level at which successful calls are logged. */
  logLevel: 'debug' | 'info'
  /** Returns whether each check was allowed, for metrics. */
  outcomes(response: Response): boolean[]
}

const defaults = { logLevel: 'debug', outcomes: () => [] } as const

type DecisionOptions<Request, Response> = Pick<Decision<Request, Response>, 'checks' | 'handle'> &
  Partial<Decision<Request, Response>>

/**
 * Defines a handler that decides from facts. By default, its calls are logged at `debug`, because
 * backends make many of them.
 *
 * @example
 * defineDecision({
 *   checks: ({ check }) => [check],
 *   handle: ({ principal, grants }, { check }) => ({
 *     allowed: isAllowed(principal.user?.role, check.action, grants[0]),
 *   }),
 * })
 */
export function defineDecision<Request, Response>(
  definition: DecisionOptions<Request, Response>,
): Decision<Request, Response> {
  return { ...defaults, ...definition }
}

/**
 * Defines a handler that decides about named subjects. By default, its calls are logged at `debug`.
 */
export function defineSubjectDecision<Request, Response>(
  definition: Pick<SubjectDecision<Request, Response>, 'prepare'> &
    Partial<SubjectDecision<Request, Response>>,
): SubjectDecision<Request, Response> {
  return { ...defaults, ...definition }
}

/**
 * Defines a handler that lists what the caller has access to. By default, its calls are logged at
 * `debug`.
 */
export function defineListDecision<Request, Response>(
  definition: Pick<ListDecision<Request, Response>, 'load'> &
    Partial<ListDecision<Request, Response>>,
): ListDecision<Request, Response> {
  return { ...defaults, ...definition }
}
