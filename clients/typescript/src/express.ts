import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express'
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

/** The type of requests in `userOf` and `filter`, independent of route parameters. */
type AnyRequest = object

/** Middleware for Express 4 and 5. */
export type ExpressGuards<Actions extends ActionsByType = ActionsByType> = {
  /** Requires a valid access token. Responds with 401 otherwise. */
  requireUser(): RequestHandler
  /**
   * Requires a valid access token of a user who signed in recently, or in a certain way. Responds with 401
   * and a challenge otherwise, on which `daikon.fetch` of the browser client begins a sign-in.
   *
   * @example
   * app.delete('/account', requireRecent({ maxAge: 300 }), remove)
   * @throws InvalidArgumentError
   */
  requireRecent(requirements: SignInRequirements): RequestHandler
  /**
   * Requires a valid access token whose user may perform the action on the resource: 401 or 403
   * otherwise, 503 while daikon is not available.
   *
   * @example
   * app.put('/documents/:id', requirePermission('edit', (req) => ({ type: 'document', id: req.params.id })), save)
   */
  // Express infers the parameters of a route only for handlers that are written in place.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  requirePermission<Params = any, Type extends TypeOf<Actions> = TypeOf<Actions>>(
    action: Actions[Type],
    resource: (request: Request<Params>) => Resource<Type> | Promise<Resource<Type>>,
    options?: GuardOptions<Request<Params>>,
  ): RequestHandler<Params>
  /**
   * Protects an API with tokens that are limited to it. Serves the metadata of the API
   * (`/.well-known/oauth-protected-resource`, RFC 9728), and responds with 401 or 403 and a challenge from
   * which clients learn where to get a token. `userOf` returns the user, with `clientId` and `scopes`.
   *
   * @example
   * app.use(protectedResource({ resource: 'https://docs.example.com/mcp', scopes: ['documents:read'] }))
   * @throws InvalidArgumentError
   */
  protectedResource(resource: ProtectedResource): RequestHandler
  /** Returns the user of a request that passed a guard. */
  userOf(request: AnyRequest): RequestUser
  /** Returns the items that the request's user may perform the action on. */
  filter<Item, Type extends TypeOf<Actions>>(
    request: AnyRequest,
    action: Actions[Type],
    items: readonly Item[],
    resourceOf: (item: Item) => Resource<Type>,
    options?: FilterOptions,
  ): Promise<Item[]>
  /**
   * Responds to errors that handlers throw, in the same format as the guards. Add it after all
   * routes.
   */
  handleErrors(): ErrorRequestHandler
}

/**
 * Creates middleware for Express.
 *
 * @example
 * const { requireUser, requirePermission, userOf } = createGuards(daikon)
 */
export function createGuards<Actions extends ActionsByType>(
  daikon: Daikon<Actions>,
  options: GuardsOptions = {},
): ExpressGuards<Actions> {
  const guard = createRequestGuard(
    daikon,
    ({ headers }: Pick<Request, 'headers'>) => headers.authorization,
    options,
  )

  return {
    requireUser: () => (request, response, next) => {
      guard.authenticate(request).then(
        () => next(),
        (error) => respond(error, response, next),
      )
    },

    requireRecent(requirements) {
      const requireRecent = guard.requireRecent(requirements)
      return (request, response, next) => {
        requireRecent(request).then(
          () => next(),
          (error) => respond(error, response, next),
        )
      }
    },

    requirePermission:
      (action, resource, options = {}) =>
      (request, response, next) => {
        guard
          .authorize(request, action, () => resource(request), options)
          .then(
            () => next(),
            (error) => respond(error, response, next),
          )
      },

    protectedResource(resource) {
      const { metadataPath, readMetadata, authenticate } = guard.protect(resource)
      return (request, response, next) => {
        const [path] = request.originalUrl.split('?')
        const isMetadata = path === metadataPath && ['GET', 'HEAD'].includes(request.method)
        const step = isMetadata
          ? readMetadata().then((body) => void response.set(metadataHeaders).send(body))
          : authenticate(request).then(() => next())
        step.catch((error) => respond(error, response, next))
      }
    },

    userOf: guard.userOf,
    filter: guard.filter,

    handleErrors: () => (error, _request, response, next) => respond(error, response, next),
  }
}

function respond(error: unknown, response: Response, next: (error: unknown) => void): void {
  const problem = toProblem(error)
  if (problem) response.status(problem.status).set(problem.headers).send(problem.body)
  else next(error)
}
