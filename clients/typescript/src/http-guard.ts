import type { Daikon } from './api.ts'
import type { ActionsByType, Context, Resource, TypeOf } from './argument-types.ts'
import { DaikonError, InvalidTokenError, NotFoundError, PermissionDeniedError } from './errors.ts'
import {
  createResourceGuard,
  type ProtectedResource,
  type ResourceGuard,
} from './protected-resource.ts'
import { createSignInCheck, type SignInRequirements } from './recent-sign-in.ts'
import { type RequestUser, readAgent } from './request-user.ts'

export type { RequestUser } from './request-user.ts'

// Guards of every framework, whose requests differ, take the same options.
// biome-ignore lint/suspicious/noExplicitAny: see above
export type GuardOptions<Request = any> = {
  /** Returns what conditions read as `context`. */
  context?: ((request: Request) => Context | Promise<Context>) | undefined
  /**
   * Responds with 404 instead of 403, so that the response does not reveal that the resource
   * exists.
   */
  hide?: boolean | undefined
}

/** What the guards of an application accept. */
export type GuardsOptions = {
  /**
   * Whether tokens with which an agent acts for a user are accepted, too. `userOf` then returns the agent.
   * Daikon decides for both in every check; what an application decides without one, it must decide for
   * the agent as well.
   */
  agents?: boolean | undefined
}

export type FilterOptions = {
  /** What conditions read as `context`. */
  context?: Context | undefined
}

/** An HTTP error response (RFC 9457). */
export type Problem = { status: number; headers: Record<string, string>; body: string }

/** The guard that all frameworks share. `Request` is any object that identifies a request. */
export type RequestGuard<Request extends object, Actions extends ActionsByType> = {
  /**
   * Verifies the access token of a request. Repeated calls for the same request return the same
   * result.
   *
   * @throws InvalidTokenError
   */
  authenticate(request: Request): Promise<RequestUser>
  /**
   * Returns a check that a user signed in recently, or in a certain way, which throws
   * StepUpRequiredError or InvalidTokenError.
   *
   * @throws InvalidArgumentError
   */
  requireRecent(requirements: SignInRequirements): (request: Request) => Promise<void>
  /**
   * Requires a valid access token whose user may perform the action on the resource.
   *
   * @throws InvalidTokenError, PermissionDeniedError, or NotFoundError with `hide`
   */
  authorize<Type extends TypeOf<Actions>>(
    request: Request,
    action: Actions[Type],
    findResource: () => Resource<Type> | Promise<Resource<Type>>,
    options: GuardOptions,
  ): Promise<void>
  /**
   * Returns the guard of an API. Requests that pass its `authenticate` have passed the other guards of
   * users, too.
   *
   * @throws InvalidArgumentError
   */
  protect(resource: ProtectedResource): Pick<ResourceGuard, 'metadataPath' | 'readMetadata'> & {
    authenticate(request: Request): Promise<void>
  }
  /** Returns the user of a request that passed a guard. */
  userOf(request: object): RequestUser
  /** Returns the items that the request's user may perform the action on, in order. */
  filter<Item, Type extends TypeOf<Actions>>(
    request: object,
    action: Actions[Type],
    items: readonly Item[],
    resourceOf: (item: Item) => Resource<Type>,
    options?: FilterOptions,
  ): Promise<Item[]>
}

/** Creates the guard of a framework. `readAuthorization` returns the header `authorization`. */
export function createRequestGuard<Request extends object, Actions extends ActionsByType>(
  daikon: Daikon<Actions>,
  readAuthorization: (request: Request) => string | undefined,
  { agents = false }: GuardsOptions = {},
): RequestGuard<Request, Actions> {
  const users = new WeakMap<object, RequestUser>()

  function userOf(request: object): RequestUser {
    const user = users.get(request)
    if (user) return user
    throw new Error('No user: add requireUser() or requirePermission() before this handler')
  }

  async function authenticate(request: Request): Promise<RequestUser> {
    const user =
      users.get(request) ?? (await verifyUser(daikon, readAuthorization(request), agents))
    users.set(request, user)
    return user
  }

  return {
    authenticate,
    userOf,

    protect(resource) {
      const { authenticate, ...guard } = createResourceGuard(daikon, resource, agents)
      return {
        ...guard,
        authenticate: async (request) =>
          void users.set(request, await authenticate(readAuthorization(request))),
      }
    },

    requireRecent(requirements) {
      const check = createSignInCheck(requirements)
      return async (request) => check((await authenticate(request)).claims)
    },

    async authorize(request, action, findResource, { hide = false, context: readContext }) {
      const { token } = await authenticate(request)
      const [resource, context] = await Promise.all([findResource(), readContext?.(request)])
      if (await daikon.check({ token }, action, resource, { context })) return
      if (hide) throw new NotFoundError('RESOURCE_NOT_FOUND', 'Not found')
      const message = `You are not allowed to ${action} this ${resource.type}`
      throw new PermissionDeniedError('ACTION_DENIED', message)
    },

    async filter(request, action, items, resourceOf, options) {
      const subject = { token: userOf(request).token }
      const checks = items.map((item) => daikon.check(subject, action, resourceOf(item), options))
      const allowed = await Promise.all(checks)
      return items.filter((_item, index) => allowed[index])
    },
  }
}

async function verifyUser(
  daikon: Pick<Daikon, 'verifyAccessToken'>,
  authorization: string | undefined,
  delegated: boolean,
): Promise<RequestUser> {
  const [, token] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? []
  if (!token) {
    const message = 'The header "Authorization: Bearer <access token>" is missing'
    throw new InvalidTokenError('TOKEN_MISSING', message)
  }
  const claims = await daikon.verifyAccessToken(token, { delegated })
  return { token, claims, agent: readAgent(claims) }
}

/**
 * Converts an error to an HTTP response. Returns undefined for errors that the request did not
 * cause, such as an invalid service key, which the application should handle and log.
 */
export function toProblem(error: unknown): Problem | undefined {
  if (!(error instanceof DaikonError)) return undefined
  const row = statuses[error.code]
  if (!row || error.reason.startsWith('SERVICE_KEY_') || error.reason === 'OTHER_SERVICE')
    return undefined
  const headers: Record<string, string> = { 'content-type': 'application/problem+json' }
  const { status, type, title } = row
  const { challenge: own } = error as { challenge?: string }
  if (status === 401 || own) headers['www-authenticate'] = own ?? challenge(error)
  if (status === 503)
    headers['retry-after'] = String(Math.ceil((error.retryAfterMs ?? 1000) / 1000))
  const detail = status === 503 ? 'Permissions cannot be checked right now' : error.message
  const problem = {
    type: `urn:daikon:problem:${type}`,
    title,
    status,
    detail,
    reason: error.reason,
    request_id: error.requestId,
    ...(error.fields.length > 0 && { errors: error.fields }),
  }
  return { status, headers, body: JSON.stringify(problem) }
}

type Row = { status: number; type: string; title: string }

const unavailable: Row = { status: 503, type: 'unavailable', title: 'Unavailable' }

/** The problems of the server. Its limits are not those of the application's own callers. */
const statuses: Partial<Record<DaikonError['code'], Row>> = {
  unauthenticated: { status: 401, type: 'unauthenticated', title: 'Unauthenticated' },
  permission_denied: { status: 403, type: 'permission-denied', title: 'Permission denied' },
  not_found: { status: 404, type: 'not-found', title: 'Not found' },
  invalid_argument: { status: 422, type: 'invalid-argument', title: 'Invalid request' },
  unavailable,
  deadline_exceeded: unavailable,
  resource_exhausted: unavailable,
}

/** RFC 6750, section 3; RFC 9470, section 3. */
function challenge(error: DaikonError): string {
  const { reason } = error
  if (reason === 'TOKEN_MISSING') return 'Bearer'
  const description = reason === 'TOKEN_EXPIRED' ? 'expired' : 'not valid'
  return `Bearer error="invalid_token", error_description="The access token is ${description}"`
}
