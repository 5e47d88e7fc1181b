import type { Daikon } from './api.ts'
import type { ActionsByType, Resource, TypeOf } from './argument-types.ts'
import {
  createRequestGuard,
  type FilterOptions,
  type GuardOptions,
  type GuardsOptions,
  type RequestUser,
  toProblem,
} from './http-guard.ts'
import type { SignInRequirements } from './recent-sign-in.ts'

export {
  type FilterOptions,
  type GuardOptions,
  type GuardsOptions,
  type Problem,
  type RequestUser,
  toProblem,
} from './http-guard.ts'
export type { SignInRequirements } from './recent-sign-in.ts'

/** The members of a FastifyRequest that the guards use. */
export type FastifyRequestLike = { headers: { authorization?: string | undefined } }

/** The members of a FastifyReply that the guards use. */
export type FastifyReplyLike = {
  code(status: number): unknown
  headers(values: Record<string, string>): unknown
  send(body: string): unknown
}

/** A `preHandler` hook. */
export type FastifyGuard<Request> = (request: Request, reply: FastifyReplyLike) => Promise<unknown>

/** Hooks for Fastify. */
export type FastifyGuards<Actions extends ActionsByType = ActionsByType> = {
  /** Requires a valid access token. Responds with 401 otherwise. */
  requireUser(): FastifyGuard<FastifyRequestLike>
  /**
   * Requires a valid access token of a user who signed in recently, or in a certain way. Responds with 401
   * and a challenge otherwise, on which `daikon.fetch` of the browser client begins a sign-in.
   *
   * @example
   * app.delete('/account', { preHandler: requireRecent({ maxAge: 300 }) }, remove)
   * @throws InvalidArgumentError
   */
  requireRecent(requirements: SignInRequirements): FastifyGuard<FastifyRequestLike>
  /**
   * Requires a valid access token whose user may perform the action on the resource: 401 or 403
   * otherwise, 503 while daikon is not available.
   *
   * @example
   * type ById = FastifyRequest<{ Params: { id: string } }>
   * const mayEdit = requirePermission('edit', ({ params }: ById) => ({ type: 'document', id: params.id }))
   * app.put<{ Params: { id: string } }>('/documents/:id', { preHandler: mayEdit }, save)
   */
  requirePermission<
    Request extends FastifyRequestLike,
    Type extends TypeOf<Actions> = TypeOf<Actions>,
  >(
    action: Actions[Type],
    resource: (request: Request) => Resource<Type> | Promise<Resource<Type>>,
    options?: GuardOptions<Request>,
  ): FastifyGuard<Request>
  /** Returns the user of a request that passed a guard. */
  userOf(request: FastifyRequestLike): RequestUser
  /** Returns the items that the request's user may perform the action on. */
  filter<Item, Type extends TypeOf<Actions>>(
    request: FastifyRequestLike,
    action: Actions[Type],
    items: readonly Item[],
    resourceOf: (item: Item) => Resource<Type>,
    options?: FilterOptions,
  ): Promise<Item[]>
}

/**
 * Creates hooks for Fastify.
 *
 * @example
 * const { requireUser, requirePermission, userOf } = createGuards(daikon)
 */
export function createGuards<Actions extends ActionsByType>(
  daikon: Daikon<Actions>,
  options: GuardsOptions = {},
): FastifyGuards<Actions> {
  const guard = createRequestGuard(
    daikon,
    ({ headers }: FastifyRequestLike) => headers.authorization,
    options,
  )

  return {
    requireUser: () => (request, reply) => respond(reply, () => guard.authenticate(request)),

    requireRecent(requirements) {
      const requireRecent = guard.requireRecent(requirements)
      return (request, reply) => respond(reply, () => requireRecent(request))
    },

    requirePermission:
      (action, resource, options = {}) =>
      (request, reply) =>
        respond(reply, () => guard.authorize(request, action, () => resource(request), options)),

    userOf: guard.userOf,
    filter: guard.filter,
  }
}

/** Sends an error that the step throws as the response. Fastify then skips the handler. */
async function respond(reply: FastifyReplyLike, step: () => Promise<unknown>): Promise<unknown> {
  try {
    await step()
    return undefined
  } catch (error) {
    const problem = toProblem(error)
    if (!problem) throw error
    reply.code(problem.status)
    reply.headers(problem.headers)
    reply.send(problem.body)
    return reply
  }
}
