import express, { type Express, type Request, type Response, type Router } from 'express'
import { invalidArgument, ServiceError } from '../core/errors.ts'
import type { Call } from '../rpc/call.ts'
import { readCookie } from '../rpc/cookie-header.ts'
import {
  type DeclaredOperation,
  failingOperation,
  type Operation,
  publicOperation,
} from '../rpc/operation.ts'
import type { Outcome, Pipeline } from '../rpc/pipeline.ts'
import { readRequestId } from '../rpc/request-id.ts'
import { writeBoundFields } from './bound-fields.ts'
import { allowOrigins, type CorsOptions } from './cors.ts'
import { securityHeaders, setHeaders } from './headers.ts'
import { hostFault } from './hosts.ts'
import { createJsonWriter } from './json.ts'
import { readMessage } from './message.ts'
import type { DocsPage } from './openapi/docs-pages.ts'
import { sendProblem } from './problem.ts'
import { readScope } from './request-scope.ts'

export type FacadeOptions = CorsOptions & {
  /** How many proxies in front are believed for X-Forwarded-For. */
  trustedProxies: number
  /** Cookies travel over https alone. */
  secureCookies: boolean
  /** The hosts that requests may name; `*` is any. */
  allowedHosts: string[]
  /** What there is to read, if anything. */
  docs: DocsPage[]
}

/** How the message of a call is read, and its answer sent. */
type Ways = Pick<Call, 'read'> & {
  answer?: (outcome: Outcome, response: Response) => void
}

/** The outside door: every operation at its route. Not listening yet. */
export function createFacade(
  operations: DeclaredOperation[],
  pipeline: Pipeline,
  options: FacadeOptions,
): Express {
  const { trustedProxies, secureCookies, allowedHosts, docs } = options
  const app = express()
  app.disable('x-powered-by').disable('etag').set('trust proxy', trustedProxies)
  app.use(setHeaders(securityHeaders(secureCookies)))
  const origins = allowOrigins(options)
  // Of any host, and beside the pipeline: no verb of it counts.
  app.all('/health', origins, (request, response) => {
    const requestId = readRequestId(request.get('x-request-id'))
    response.set('X-Request-ID', requestId)
    if (/^(GET|HEAD)$/.test(request.method)) response.json({ status: 'ok' })
    else sendProblem(response, verbFault(['GET'], response), requestId)
  })
  app.use(async (request, response, next) => {
    const fault = hostFault(request, allowedHosts)
    if (!fault) return next()
    await run(failingOperation(fault), request, response)
  })
  app.use(origins)

  // Express tries route after route; those without variables are found at once.
  const fixed = new Map<string, Router>()
  app.use((request, response, next) => {
    const router = fixed.get(request.path.toLowerCase().replace(/\/$/, ''))
    return router ? router(request, response, next) : next()
  })
  for (const [path, own] of byPath(operations)) {
    const isFixed = !path.includes('{')
    const router = isFixed ? express.Router() : app
    if (isFixed) fixed.set(path, router as Router)
    const route = router.route(path.replace(/\{(\w+)\}/g, ':$1'))
    for (const operation of own) {
      const answer = createAnswerer(operation, secureCookies)
      route[operation.route.verb](async (request, response) => {
        const read = () => readMessage(request, response, operation)
        await run(operation, request, response, { read, answer })
      })
    }
    const verbs = own.map(({ route }) => route.verb.toUpperCase())
    route.all((request, response) => refuseVerb(verbs, request, response))
  }
  for (const { path, send } of docs) {
    const page = publicOperation('docs', async () => ({}))
    app.get(path, (request, response) =>
      run(page, request, response, { answer: (_outcome, response) => send(response) }),
    )
    app.all(path, (request, response) => refuseVerb(['GET'], request, response))
  }
  app.use(async (request: Request, response: Response) => {
    const fault = new ServiceError('not_found', 'NO_SUCH_ROUTE', 'There is nothing at this address')
    await run(failingOperation(fault), request, response)
  })
  app.use(async (error: unknown, request: Request, response: Response, _next: unknown) => {
    await run(failingOperation(routingFault(error)), request, response)
  })
  return app

  async function refuseVerb(verbs: string[], request: Request, response: Response): Promise<void> {
    await run(failingOperation(verbFault(verbs, response)), request, response)
  }

  async function run(
    operation: Operation,
    request: Request,
    response: Response,
    { read, answer }: Ways = {},
  ): Promise<void> {
    const call = readCall(request, response, read)
    const outcome = await pipeline(operation, call)
    response.set('X-Request-ID', call.requestId)
    setLimits(response, outcome)
    if (outcome.error) sendProblem(response, outcome.error, call.requestId)
    else answer?.(outcome, response)
  }
}

function verbFault(verbs: string[], response: Response): ServiceError {
  const allow = verbs.join(', ')
  response.set('Allow', allow)
  return new ServiceError(
    'method_not_allowed',
    'METHOD_NOT_ALLOWED',
    `Only ${allow} is possible here`,
  )
}

/** Paths with what stands there; fixed words come before variables, which would take them. */
function byPath(operations: DeclaredOperation[]): [string, DeclaredOperation[]][] {
  const paths = Map.groupBy(operations, ({ route }) => route.path)
  const rank = (path: string) => path.replace(/\{\w+\}/g, '~')
  return [...paths].sort(([a], [b]) => (rank(a) < rank(b) ? -1 : 1))
}

/** Sends a response as its method declares: status, and the message or its one field. */
function createAnswerer({ policy, output, bindings }: DeclaredOperation, secureCookies: boolean) {
  const { status, responseField } = policy
  const travellers = bindings.response
  const write = createJsonWriter(
    output,
    travellers.map(({ field }) => field),
  )
  return ({ response: answer = {} }: Outcome, response: Response) => {
    const message = answer as Record<string, unknown>
    writeBoundFields(response, travellers, message, secureCookies)
    response.status(status)
    if (status === 204 || status >= 300) return void response.end()
    const json = write(message)
    response.json(responseField ? json[responseField] : json)
  }
}

function readCall(request: Request, response: Response, read: Call['read']): Call {
  return {
    ...{ transport: 'http', message: {}, ...(read && { read }) },
    credentials: {
      // Node keeps the first of several; one given twice is none that could be valid.
      authorization: request.headersDistinct.authorization?.join(', '),
      serviceKey: request.get('x-service-key'),
      adminToken: readCookie(request.headers.cookie, 'admin_token'),
    },
    ip: request.ip ?? '',
    requestId: readRequestId(request.get('x-request-id')),
    origin: readOrigin(request),
    scope: readScope(request, response),
    traceparent: request.get('traceparent'),
  }
}

/** The page's origin; browsers leave it out of some requests of our own pages. */
function readOrigin(request: Request): string | true | undefined {
  const sameOrigin = request.get('sec-fetch-site') === 'same-origin'
  return request.get('origin') ?? (sameOrigin || undefined)
}

/** draft-ietf-httpapi-ratelimit-headers: the window that binds. */
function setLimits(response: Response, { rateLimit }: Outcome): void {
  if (!rateLimit) return
  const { name, limit, period, remaining, reset } = rateLimit
  response.set('RateLimit-Policy', `"${name}";q=${limit};w=${period}`)
  response.set('RateLimit', `"${name}";r=${remaining};t=${reset}`)
}

/** Express itself fails on addresses only, such as a stray `%`. */
function routingFault(error: unknown): ServiceError {
  if (error instanceof URIError)
    return invalidArgument({ field: '', message: 'The address is malformed' })
  return ServiceError.from(error)
}
