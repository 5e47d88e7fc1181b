import express, { type Express, type Request, type Response } from 'express'
import type { Call } from '../rpc/call.ts'
import { Fault, invalid } from '../rpc/fault.ts'
import { type DeclaredOperation, type Operation, refusal } from '../rpc/operation.ts'
import type { Outcome, Pipeline } from '../rpc/pipeline.ts'
import { readRequestId } from '../rpc/request-id.ts'
import { setSecurityHeaders } from './headers.ts'
import { createJsonWriter } from './json.ts'
import { readMessage } from './message.ts'
import { sendProblem } from './problem.ts'

export type FacadeOptions = {
  /** How many proxies in front are believed for X-Forwarded-For. */
  trustedProxies: number
}

/** The outside door: every operation at its route. Not listening yet. */
export function createFacade(
  operations: DeclaredOperation[],
  pipeline: Pipeline,
  { trustedProxies }: FacadeOptions,
): Express {
  const app = express()
  app.disable('x-powered-by').disable('etag').set('trust proxy', trustedProxies)
  app.use(setSecurityHeaders)
  app.get('/health', (_request, response) => {
    response.json({ status: 'ok' })
  })

  for (const [path, own] of byPath(operations)) {
    const route = app.route(path.replace(/\{(\w+)\}/g, ':$1'))
    for (const operation of own) {
      const answer = createAnswerer(operation)
      route[operation.route.verb](async (request, response) => {
        const message = await readMessage(request, response, operation.route, operation.input)
        await run(operation, message, request, response, answer)
      })
    }
    const allow = own.map(({ route }) => route.verb.toUpperCase()).join(', ')
    route.all(async (request, response) => {
      response.set('Allow', allow)
      const fault = new Fault('method', 'METHOD_NOT_ALLOWED', `Only ${allow} is possible here`)
      await run(refusal(fault), {}, request, response)
    })
  }
  app.use(async (request: Request, response: Response) => {
    const fault = new Fault('missing', 'NO_SUCH_ROUTE', 'There is nothing at this address')
    await run(refusal(fault), {}, request, response)
  })
  app.use(async (error: unknown, request: Request, response: Response, _next: unknown) => {
    await run(refusal(routingFault(error)), {}, request, response)
  })
  return app

  async function run(
    operation: Operation,
    message: object | Fault,
    request: Request,
    response: Response,
    answer?: (outcome: Outcome, response: Response) => void,
  ): Promise<void> {
    const call = readCall(request, message)
    const outcome = await pipeline(operation, call)
    response.set('X-Request-ID', call.requestId)
    setLimits(response, outcome)
    if (outcome.fault) sendProblem(response, outcome.fault, call.requestId)
    else answer?.(outcome, response)
  }
}

/** Paths with what stands there; fixed words come before variables, which would take them. */
function byPath(operations: DeclaredOperation[]): [string, DeclaredOperation[]][] {
  const paths = Map.groupBy(operations, ({ route }) => route.path)
  const rank = (path: string) => path.replace(/\{\w+\}/g, '~')
  return [...paths].sort(([a], [b]) => (rank(a) < rank(b) ? -1 : 1))
}

/** Sends a response as its method declares: status, and the message or its one field. */
function createAnswerer({ policy, route, output }: DeclaredOperation) {
  const write = createJsonWriter(output)
  return ({ response: message }: Outcome, response: Response) => {
    response.status(policy.status)
    if (policy.status === 204) return void response.end()
    const json = write(message ?? {})
    response.json(route.responseField ? json[route.responseField] : json)
  }
}

function readCall(request: Request, message: object | Fault): Call {
  return {
    door: 'http',
    message,
    credentials: {
      authorization: request.get('authorization'),
      serviceKey: request.get('x-service-key'),
    },
    ip: request.ip ?? '',
    requestId: readRequestId(request.get('x-request-id')),
  }
}

/** draft-ietf-httpapi-ratelimit-headers: the window that binds. */
function setLimits(response: Response, { verdict }: Outcome): void {
  if (!verdict) return
  const { name, limit, period, remaining, reset } = verdict
  response.set('RateLimit-Policy', `"${name}";q=${limit};w=${period}`)
  response.set('RateLimit', `"${name}";r=${remaining};t=${reset}`)
}

/** Express itself fails on addresses only, such as a stray `%`. */
function routingFault(error: unknown): Fault {
  if (error instanceof URIError) return invalid({ field: '', message: 'The address is malformed' })
  return Fault.from(error)
}
