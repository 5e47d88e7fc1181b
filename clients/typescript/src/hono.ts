import type { Daikon, Resource } from './api.ts'
import {
  authenticate,
  authorize,
  filterAllowed,
  type GuardOptions,
  missingUser,
  type RequestUser,
  toProblem,
} from './http-guard.ts'

export { type GuardOptions, type Problem, type RequestUser, toProblem } from './http-guard.ts'

/** The parts of a Hono Context that the guards use. */
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
export type HonoGuards = {
  /** Requires a valid access token: 401 otherwise. */
  requireUser(): HonoGuard<HonoContextLike>
  /**
   * Requires a valid access token whose user may take the action on the resource: 401 or 403
   * otherwise, 503 while daikon is not available.
   *
   * @example
   * const mayEdit = requirePermission('edit', (c) => ({ type: 'document', id: c.req.param('id') ?? '' }))
   * app.put('/documents/:id', mayEdit, save)
   */
  requirePermission<Context extends HonoContextLike = HonoContextLike>(
    action: string,
    resource: (context: Context) => Resource | Promise<Resource>,
    options?: GuardOptions,
  ): HonoGuard<Context>
  /** The user of a request that passed a guard. */
  userOf(context: HonoContextLike): RequestUser
  /** The items on whose resources the user of the request may take the action. */
  filter<Item>(
    context: HonoContextLike,
    action: string,
    items: readonly Item[],
    resourceOf: (item: Item) => Resource,
  ): Promise<Item[]>
}

/**
 * Creates middleware for Hono.
 *
 * @example
 * const { requireUser, requirePermission, userOf } = createGuards(daikon)
 */
export function createGuards(daikon: Daikon): HonoGuards {
  const users = new WeakMap<HonoContextLike, RequestUser>()

  function userOf(context: HonoContextLike): RequestUser {
    const user = users.get(context)
    if (!user) throw missingUser()
    return user
  }

  async function identify(context: HonoContextLike): Promise<RequestUser> {
    const user =
      users.get(context) ?? (await authenticate(daikon, context.req.header('authorization')))
    users.set(context, user)
    return user
  }

  return {
    requireUser: () => (context, next) => guard(next, () => identify(context)),

    requirePermission:
      (action, resource, options = {}) =>
      (context, next) =>
        guard(next, async () => {
          const user = await identify(context)
          await authorize(daikon, user, action, await resource(context), options)
        }),

    userOf,

    filter: async (context, action, items, resourceOf) =>
      filterAllowed(daikon, userOf(context), action, items, resourceOf),
  }
}

/** Returns the error of a step as the response, or calls the next handler. */
async function guard(
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
