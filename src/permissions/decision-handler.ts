import type { RequestContext } from '../core/request-context.ts'
import type { Facts } from './engine/ask.ts'
import type { AskingService, Questions } from './engine/question.ts'

/**
 * The handler of a method. `handle` gets the facts that `questions` asks for, loaded together with
 * the status of the caller. A handler that asks nothing and has no other options can be a function.
 *
 * @example
 * const checkOne: DecisionHandler<CheckRequest, CheckResponse> = {
 *   questions: ({ check }) => ({ checks: [check] }),
 *   handle: (_context, { check }, { bits }) => ({ allowed: decide(check.action, bits[0]) }),
 * }
 */
export type DecisionHandler<Request, Response, Stores = object> = {
  /**
   * Returns what to load. Runs before the caller is authenticated, for the service that its key is
   * assumed to belong to, and possibly more than once, so it must not have effects. The caller learns
   * of an error only once authenticated.
   *
   * @param service undefined if the method requires no service key
   */
  questions?: (
    request: Request,
    service: AskingService | undefined,
  ) => Questions | Promise<Questions>
  handle(
    context: RequestContext<Stores>,
    request: Request,
    facts: Facts,
  ): Response | Promise<Response>
  /** Whether `questions` asks for a list, which costs about as much as a handler. */
  asksForList?: boolean
  /** The level at which successful calls and denials are logged; `info` by default. */
  logLevel?: 'debug' | 'info'
  /** Returns whether each check was allowed, for metrics. */
  outcomes?(response: Response): boolean[]
  /** The reasons of errors that are denials, for logs and metrics. */
  denials?: string[]
}
