import type { Principal } from '../core/request-context.ts'
import type { PermissionCheck } from './facts.ts'

/** The input of a decision: the caller and the facts that were loaded with their status. */
export type DecisionContext = {
  principal: Principal
  /** For each of the decision's checks, the grants of `access.ts` as bits. */
  grants: number[]
}

/** A handler that decides from facts alone. The facts of its checks are loaded with the caller's status. */
export type Decision<Request, Response> = {
  checks(request: Request): PermissionCheck[]
  handle(context: DecisionContext, request: Request): Response | Promise<Response>
  /** The level at which successful calls are logged. */
  logLevel: 'debug' | 'info'
  /** Returns the results of the checks, to be counted in metrics. */
  answers(response: Response): boolean[]
}

type DecisionOptions<Request, Response> = Pick<Decision<Request, Response>, 'checks' | 'handle'> &
  Partial<Decision<Request, Response>>

/**
 * Defines a handler that decides from facts. Its calls are logged at `debug`, because backends make
 * many of them.
 *
 * @example
 * defineDecision({
 *   checks: ({ check }) => [check],
 *   handle: ({ principal, grants }, { check }) => ({
 *     allowed: isAllowed(principal.user?.role, check.action, grants[0]),
 *   }),
 * })
 */
export function defineDecision<Request, Response>({
  logLevel = 'debug',
  answers = () => [],
  ...definition
}: DecisionOptions<Request, Response>): Decision<Request, Response> {
  return { ...definition, logLevel, answers }
}
