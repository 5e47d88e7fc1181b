import express, { type Express, type Request, type RequestHandler, type Response } from 'express'
import { errorCodes } from '../core/error-codes.ts'
import { invalidArgument, ServiceError } from '../core/errors.ts'
import { formatOf, type RestFormat } from '../core/rest-format.ts'
import type { Profile, Route } from '../rpc/method.ts'
import {
  type DeclaredOperation,
  failingOperation,
  type Operation,
  publicOperation,
  type WatchOperation,
} from '../rpc/operation.ts'
import type { Outcome, Pipeline } from '../rpc/pipeline.ts'
import { readRequestId } from '../rpc/request-headers.ts'
import type { RunWatch } from '../rpc/run-watch.ts'
import type { BuiltPage } from './console.ts'
import { type CorsOptions, createCrossOrigin } from './cors.ts'
import { createRepetition, isCrossSitePost } from './cross-site-posts.ts'
import { createEventStream } from './event-stream.ts'
import { mayHaveFormToken, readFormToken } from './form-token.ts'
import { renderErrorPage, sendPage } from './hosted-pages.ts'
import { readMessage } from './message.ts'
import type { DocsPage } from './openapi/docs-pages.ts'
import { sendProblem } from './problem.ts'
import { reasons } from './reasons.ts'
import { readCall, sentRequestId } from './request.ts'
import { createResponder, type Responder, setRateLimitHeaders } from './response.ts'
import { checkHost, securityHeaders, setHeaders } from './security.ts'
import {
  isForNavigation,
  isUnattended,
  respondUnattended,
  withoutEffect,
} from './unattended-requests.ts'
import { createBodyLimit } from './unfinished-bodies.ts'

export type RestOptions = CorsOptions & {
  /** The number of proxies in front of the server that are trusted for X-Forwarded-For. */
  trustedProxies: number
  /** Whether cookies are sent over https only. */
  secureCookies: boolean
  /** Allowed Host headers; `*` allows any. */
  allowedHosts: string[]
  /** The maximum number of bytes of all request bodies that have not arrived completely. */
  maxUnfinishedBytes: number
  /** The formats that features bring. */
  formats: RestFormat[]
  docs: DocsPage[]
  /** The pages that features bring, by path. */
  pages: Map<string, BuiltPage>
  /** The operations whose responses are server-sent events. */
  watches: WatchOperation[]
  runWatch: RunWatch
}

/** Creates the Express app with the route of every operation. */
export function createApp(
  operations: DeclaredOperation[],
  pipeline: Pipeline,
  options: RestOptions,
): Express {
  const { trustedProxies, secureCookies, allowedHosts, formats, docs } = options
  const app = express()
  app.disable('x-powered-by').disable('etag').set('trust proxy', trustedProxies)
  app.use(setHeaders(securityHeaders(secureCookies)))
  const crossOrigin = createCrossOrigin(options)
  const limitBody = createBodyLimit(options.maxUnfinishedBytes)
  app.use((_request, response, next) => {
    response.vary('Origin')
    next()
  })
  app.all('/health', async (request, response) => {
    const isAllowed = await crossOrigin.isAllowed(request)
    if (isAllowed && crossOrigin.isPreflight(request))
      return crossOrigin.sendPreflight(request, response)
    if (isAllowed) crossOrigin.setHeaders(request, response)
    sendHealth(request, response)
  })
  app.use(async (request, response, next) => {
    const error = checkHost(request, allowedHosts)
    if (error) await fail(request, response, error)
    else next()
  })
  const isForAnyMethod = ({ policy }: Operation) => policy.anyMethod
  // Before preflights, which are requests like any other here.
  app.use(lookUpFixedPaths(createAnyMethodRoutes(operations.filter(isForAnyMethod))))
  app.use((request, response, next) => {
    if (crossOrigin.isPreflight(request)) return handlePreflight(request, response, next)
    next()
  })

  for (const [path, { handle }] of options.pages) app.use(path, handle)
  const fixedPaths = new Map<string, RequestHandler>()
  app.use(lookUpFixedPaths(fixedPaths))
  const { watches, runWatch } = options
  const others = operations.filter((operation) => !isForAnyMethod(operation)).concat(watches)
  for (const [path, endpoints] of groupByPath(others)) {
    const router = path.includes('{') ? app : express.Router()
    if (router !== app) fixedPaths.set(path, router)
    const pathRoute = router.route(path.replace(/\{(\w+)\}/g, ':$1'))
    for (const { operation, route } of endpoints) {
      const watch = watches.find(({ name }) => name === operation.name)
      const sendEvents = watch && createEventStream(watch, runWatch)
      const format = formatOf(formats, operation.policy.profile)
      const respond = createResponder(operation, secureCookies, format?.mediaType)
      const repetition = createRepetition(operation, route)
      pathRoute[route.verb](async (request, response) => {
        const read = () =>
          limitBody(request, response, operation.policy.tier !== 'public', () =>
            readMessage(request, response, operation, route, secureCookies),
          )
        const call = readCall(request, response, read)
        if (mayHaveFormToken(operation, request)) {
          try {
            const limited = () => readFormToken(request, response, operation)
            const authorization = await limitBody(request, response, false, limited)
            call.credentials.authorization ??= authorization
          } catch (error) {
            const refusal = failingOperation(ServiceError.from(error), operation.policy.profile)
            return run(refusal, request, response)
          }
        }
        if (isUnattended(operation, request))
          return run(withoutEffect(operation), request, response, respondUnattended)
        if (isCrossSitePost(operation, route, request))
          return run(repetition.repeat, request, response, repetition.respond, call)
        const send: Responder = sendEvents
          ? (response, message) => sendEvents(response, message, call)
          : respond
        await run(operation, request, response, send, call)
      })
    }
    const verbs = endpoints.map(({ route }) => route.verb.toUpperCase())
    pathRoute.all((request, response) => fail(request, response, methodNotAllowed(response, verbs)))
  }
  for (const { path, send } of docs) {
    const page = publicOperation('docs', async () => ({}))
    // Express would also match `//`.
    const route = path === '/' ? /^\/$/ : path
    app.get(route, (request, response) => run(page, request, response, send))
    app.all(route, (request, response) =>
      fail(request, response, methodNotAllowed(response, ['GET'])),
    )
  }
  app.use((request: Request, response: Response) =>
    fail(request, response, new ServiceError(reasons.NO_SUCH_ROUTE)),
  )
  app.use((error: unknown, request: Request, response: Response, _next: unknown) =>
    fail(request, response, routingError(error)),
  )
  return app

  /** Returns the handlers of operations that accept every method, by path. */
  function createAnyMethodRoutes(operations: DeclaredOperation[]): Map<string, RequestHandler> {
    const handlers = operations.map((operation) => {
      const { route } = operation
      const respond = createResponder(operation, secureCookies)
      const handle: RequestHandler = async (request, response) => {
        const read = () => readMessage(request, response, operation, route, secureCookies)
        const call = readCall(request, response, read, false)
        const outcome = await pipeline(operation, call)
        send(operation, formats, request, response, outcome, call.requestId, respond)
      }
      return [route.path, handle] as const
    })
    return new Map(handlers)
  }

  /** Runs routing errors through the pipeline, so that they count against the rate limits. */
  function fail(request: Request, response: Response, error: ServiceError): Promise<void> {
    const format = formats.find(({ paths }) => paths.test(request.path))
    const profile = (format?.profile ?? 'default') as Profile
    return run(failingOperation(error, profile), request, response)
  }

  /**
   * Responds to a preflight if its origin is allowed. Otherwise it continues, and fails like any
   * OPTIONS request.
   */
  async function handlePreflight(
    request: Request,
    response: Response,
    next: () => void,
  ): Promise<void> {
    if (crossOrigin.isConfigured(request)) return crossOrigin.sendPreflight(request, response)
    let isAllowed = false
    const handler = async () => {
      isAllowed = await crossOrigin.isAllowed(request)
      return {}
    }
    const preflight = publicOperation('preflight', handler, { globalWindow: 'preflight' })
    await pipeline(preflight, readCall(request, response, undefined))
    if (isAllowed) crossOrigin.sendPreflight(request, response)
    else next()
  }

  async function run(
    operation: Operation,
    request: Request,
    response: Response,
    respond?: Responder,
    call = readCall(request, response, undefined),
  ): Promise<void> {
    const outcome = await pipeline(operation, call)
    // Only after the rate limits, because the origins of client apps are read from the database.
    const isLimited = outcome.rateLimit?.allowed === false
    const isAllowed = isLimited
      ? crossOrigin.isConfigured(request)
      : await crossOrigin.isAllowed(request)
    if (isAllowed) crossOrigin.setHeaders(request, response)
    send(operation, formats, request, response, outcome, call.requestId, respond)
  }
}

function send(
  operation: Operation,
  formats: RestFormat[],
  request: Request,
  response: Response,
  outcome: Outcome,
  callId: string,
  respond: Responder | undefined,
): void {
  const requestId = sentRequestId(request) ?? callId
  response.set('X-Request-ID', requestId)
  setRateLimitHeaders(response, outcome.rateLimit)
  if (outcome.error && isNavigation(operation, request)) {
    const { retryAfter } = outcome.error
    if (retryAfter !== undefined) response.set('Retry-After', String(retryAfter))
    sendPage(response, errorStatus(outcome.error), renderErrorPage(outcome.error, requestId))
  } else if (outcome.error) {
    const { profile } = operation.policy
    sendProblem(response, outcome.error, requestId, profile, formatOf(formats, profile))
  } else respond?.(response, outcome.response ?? {})
}

/**
 * Calls the handler of the path. Express would compare paths one after another, so those without
 * variables are looked up in a map instead.
 */
function lookUpFixedPaths(handlers: Map<string, RequestHandler>): RequestHandler {
  return (request, response, next) => {
    const handle = handlers.get(request.path.toLowerCase().replace(/\/$/, ''))
    return handle ? handle(request, response, next) : next()
  }
}

/**
 * Whether a browser navigates to a method that redirects or shows pages, so that a person sees its
 * errors.
 */
function isNavigation(operation: Operation, request: Request): boolean {
  return isForNavigation(operation) && /\btext\/html\b/i.test(request.get('accept') ?? '')
}

function errorStatus({ code }: ServiceError): number {
  return code === 'invalid_argument' ? 400 : errorCodes[code].http
}

/**
 * Responds to load balancers without rate limits and the Host check, because they call often and by
 * any host name.
 */
function sendHealth(request: Request, response: Response): void {
  const requestId = readRequestId(request.get('x-request-id'))
  response.set('X-Request-ID', requestId)
  if (/^(GET|HEAD)$/.test(request.method)) response.json({ status: 'ok' })
  else sendProblem(response, methodNotAllowed(response, ['GET']), requestId)
}

/** Sets the Allow header and returns the error. */
function methodNotAllowed(response: Response, verbs: string[]): ServiceError {
  response.set('Allow', verbs.join(', '))
  return new ServiceError(
    reasons.METHOD_NOT_ALLOWED,
    `Method not allowed; use ${verbs.join(' or ')}`,
  )
}

type Endpoint = { operation: DeclaredOperation; route: Route }

/**
 * Groups the routes of all operations by path. Fixed segments come first, because variables would
 * also match them.
 */
function groupByPath(operations: DeclaredOperation[]): [string, Endpoint[]][] {
  const endpoints = operations.flatMap((operation) =>
    operation.routes.map((route) => ({ operation, route })),
  )
  const byPath = Map.groupBy(endpoints, ({ route }) => route.path)
  const sortKey = (path: string) => path.replace(/\{\w+\}/g, '~')
  return [...byPath].sort(([a], [b]) => (sortKey(a) < sortKey(b) ? -1 : 1))
}

/** Converts an error of Express, which fails only on malformed paths, such as a stray `%`. */
function routingError(error: unknown): ServiceError {
  if (error instanceof URIError)
    return invalidArgument({ field: '', message: 'The path is not valid percent-encoding' })
  return ServiceError.from(error)
}
