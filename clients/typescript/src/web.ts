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
import { metadataHeaders, type ProtectedResource } from './protected-resource.ts'
import type { SignInRequirements } from './recent-sign-in.ts'

export {
  type FilterOptions,
  type GuardOptions,
  type GuardsOptions,
  type Problem,
  type RequestUser,
  toProblem,
} from './http-guard.ts'
export type { ProtectedResource } from './protected-resource.ts'
export type { SignInRequirements } from './recent-sign-in.ts'

/** What a handler receives first: a Request or, in Remix and React Router, an object with one. */
export type WebInput = Request | { request: Request }

/** Handles a request. The framework may pass further arguments. */
export type WebHandler<Input extends WebInput, Rest extends unknown[]> = (
  input: Input,
  ...rest: Rest
) => Response | Promise<Response>

/** A handler behind a guard. */
export type GuardedHandler<Input extends WebInput, Rest extends unknown[]> = (
  input: Input,
  ...rest: Rest
) => Promise<Response>

/**
 * Guards for handlers of web standard requests, as in Next.js, Remix, Cloudflare Workers and Deno. They
 * also turn the errors of operations in the handler into responses.
 */
export type WebGuards<Actions extends ActionsByType = ActionsByType> = {
  /** Requires a valid access token. Responds with 401 otherwise. */
  requireUser<Input extends WebInput = Request, Rest extends unknown[] = []>(
    handler: WebHandler<Input, Rest>,
  ): GuardedHandler<Input, Rest>
  /**
   * Requires a valid access token of a user who signed in recently, or in a certain way. Responds with 401
   * and a challenge otherwise, on which `daikon.fetch` of the browser client begins a sign-in.
   *
   * @example
   * export const DELETE = requireRecent({ maxAge: 300 }, async () => new Response())
   * @throws InvalidArgumentError
   */
  requireRecent<Input extends WebInput = Request, Rest extends unknown[] = []>(
    requirements: SignInRequirements,
    handler: WebHandler<Input, Rest>,
  ): GuardedHandler<Input, Rest>
  /**
   * Requires a valid access token whose user may perform the action on the resource: 401 or 403
   * otherwise, 503 while daikon is not available.
   *
   * @example
   * type Route = { params: Promise<{ id: string }> }
   * export const PUT = requirePermission(
   *   'edit',
   *   async (_request: Request, { params }: Route) => ({ type: 'document', id: (await params).id }),
   *   async (request) => Response.json({ editedBy: userOf(request).claims.sub }),
   * )
   */
  requirePermission<
    Input extends WebInput,
    Rest extends unknown[],
    Type extends TypeOf<Actions> = TypeOf<Actions>,
  >(
    action: Actions[Type],
    resource: (input: Input, ...rest: Rest) => Resource<Type> | Promise<Resource<Type>>,
    handler: WebHandler<Input, Rest>,
    options?: GuardOptions<Input>,
  ): GuardedHandler<Input, Rest>
  /**
   * Protects an API with tokens that are limited to it. Serves the metadata of the API
   * (`/.well-known/oauth-protected-resource`, RFC 9728), and responds with 401 or 403 and a challenge from
   * which clients learn where to get a token. `userOf` returns the user, with `clientId` and `scopes`.
   *
   * @example
   * export const POST = protectedResource({ resource, scopes: ['documents:read'] }, handle)
   * @throws InvalidArgumentError
   */
  protectedResource<Input extends WebInput = Request, Rest extends unknown[] = []>(
    resource: ProtectedResource,
    handler: WebHandler<Input, Rest>,
  ): GuardedHandler<Input, Rest>
  /** Returns the user of a request that passed a guard. */
  userOf(input: WebInput): RequestUser
  /** Returns the items that the request's user may perform the action on. */
  filter<Item, Type extends TypeOf<Actions>>(
    input: WebInput,
    action: Actions[Type],
    items: readonly Item[],
    resourceOf: (item: Item) => Resource<Type>,
    options?: FilterOptions,
  ): Promise<Item[]>
}

/**
 * Creates guards for web standard requests.
 *
 * @example
 * const { requireUser, requirePermission, userOf } = createGuards(daikon)
 */
export function createGuards<Actions extends ActionsByType>(
  daikon: Daikon<Actions>,
  options: GuardsOptions = {},
): WebGuards<Actions> {
  const guard = createRequestGuard(
    daikon,
    ({ headers }: Request) => headers.get('authorization') ?? undefined,
    options,
  )

  return {
    requireUser:
      (handler) =>
      async (input, ...rest) => {
        try {
          await guard.authenticate(requestOf(input))
          return await handler(input, ...rest)
        } catch (error) {
          return respond(error)
        }
      },

    requireRecent(requirements, handler) {
      const requireRecent = guard.requireRecent(requirements)
      return async (input, ...rest) => {
        try {
          await requireRecent(requestOf(input))
          return await handler(input, ...rest)
        } catch (error) {
          return respond(error)
        }
      }
    },

    requirePermission:
      (action, resource, handler, { context, hide } = {}) =>
      async (input, ...rest) => {
        const options = { hide, context: context && (() => context(input)) }
        try {
          await guard.authorize(requestOf(input), action, () => resource(input, ...rest), options)
          return await handler(input, ...rest)
        } catch (error) {
          return respond(error)
        }
      },

    protectedResource(resource, handler) {
      const { metadataPath, readMetadata, authenticate } = guard.protect(resource)
      return async (input, ...rest) => {
        const request = requestOf(input)
        const isMetadata = new URL(request.url).pathname === metadataPath
        try {
          if (isMetadata && ['GET', 'HEAD'].includes(request.method))
            return new Response(await readMetadata(), { headers: metadataHeaders })
          await authenticate(request)
          return await handler(input, ...rest)
        } catch (error) {
          return respond(error)
        }
      }
    },

    userOf: (input) => guard.userOf(requestOf(input)),
    filter: (input, ...rest) => guard.filter(requestOf(input), ...rest),
  }
}

/** Another runtime may have another class of requests, so that `instanceof` does not tell. */
function requestOf(input: WebInput): Request {
  return 'request' in input ? input.request : input
}

/** Returns the response for an error that the request caused, and throws any other error. */
function respond(error: unknown): Response {
  const problem = toProblem(error)
  if (!problem) throw error
  const { status, headers, body } = problem
  return new Response(body, { status, headers })
}
