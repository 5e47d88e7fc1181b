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

/** The members of a Hono Context that the guards use. */
export type HonoContextLike = {
  req: {
    header(name: string): string | undefined
    param(name: string): string | undefined
  }
}

/** A middleware handler. */
export type HonoGuard<Context> = (
  context: Context,
  next: () => Promise<void>,
) => Promise<Response | undefined>

/** Middleware for Hono. */
export type HonoGuards<Actions extends ActionsByType = ActionsByType> = {
  /** Requires a valid access token. Responds with 401 otherwise. */
  requireUser(): HonoGuard<HonoContextLike>
  /**
   * Requires a valid access token of a user who signed in recently, or in a certain way. Responds with 401
   * and a challenge otherwise, on which `daikon.fetch` of the browser client begins a sign-in.
   *
   * @example
   * app.delete('/account', requireRecent({ maxAge: 300 }), remove)
   * @throws InvalidArgumentError
   */
  requireRecent(requirements: SignInRequirements): HonoGuard<HonoContextLike>
  /**
   * Requires a valid access token whose user may perform the action on the resource: 401 or 403
   * otherwise, 503 while daikon is not available.
   *
   * @example
   * const mayEdit = requirePermission('edit', (c) => ({ type: 'document', id: c.req.param('id') ?? '' }))
   * app.put('/documents/:id', mayEdit, save)
   */
  requirePermission<
    Context extends HonoContextLike = HonoContextLike,
    Type extends TypeOf<Actions> = TypeOf<Actions>,
  >(
    action: Actions[Type],
    resource: (context: Context) => Resource<Type> | Promise<Resource<Type>>,
    options?: GuardOptions<Context>,
  ): HonoGuard<Context>
  /** Returns the user of a request that passed a guard. */
  userOf(context: HonoContextLike): RequestUser
  /** Returns the items that the request's user may perform the action on. */
  filter<Item, Type extends TypeOf<Actions>>(
    context: HonoContextLike,
    action: Actions[Type],
    items: readonly Item[],
    resourceOf: (item: Item) => Resource<Type>,
    options?: FilterOptions,
  ): Promise<Item[]>
}

/**
 * Creates middleware for Hono.
 *
 * @example
 * const { requireUser, requirePermission, userOf } = createGuards(daikon)
 */
export function createGuards<Actions extends ActionsByType>(
  daikon: Daikon<Actions>,
  options: GuardsOptions = {},
): HonoGuards<Actions> {
  const guard = createRequestGuard(
    daikon,
    ({ req }: HonoContextLike) => req.header('authorization'),
    options,
  )

  return {
    requireUser: () => (context, next) => respond(next, () => guard.authenticate(context)),

    requireRecent(requirements) {
      const requireRecent = guard.requireRecent(requirements)
      return (context, next) => respond(next, () => requireRecent(context))
    },

    requirePermission:
      (action, resource, options = {}) =>
      (context, next) =>
        respond(next, () => guard.authorize(context, action, () => resource(context), options)),

    userOf: guard.userOf,
    filter: guard.filter,
  }
}

/** Returns an error that the step throws as the response, or calls the next handler. */
async function respond(
  next: () => Promise<void>,
  step: () => Promise<unknown>,
): Promise<Response | undefined> {
  try {
    await step()
  } catch (error) {
    const problem = toProblem(error)
    if (!problem) throw error
    const { status, headers, body } = problem
    return new Response(body, { status, headers })
  }
  await next()
  return undefined
}
