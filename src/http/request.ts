import type { Request, Response } from 'express'
import type { RequestScope } from '../core/request-scope.ts'
import type { Call } from '../rpc/call.ts'
import { escapeForLog, readCookies, readRequestId } from '../rpc/request-headers.ts'

/** The maximum length of a request ID that the Access API returns as sent. */
const maxSentRequestId = 1024

/**
 * Returns the client's request ID if it must be returned as sent: the Access API takes any (AuthZEN
 * Authorization API 1.0, section 10.1.3).
 */
export function sentRequestId(request: Request): string | undefined {
  const id = request.get('x-request-id')
  const isReturned = id && id.length <= maxSentRequestId && /^\/access\/v1(\/|$)/.test(request.path)
  return isReturned ? id : undefined
}

/**
 * Converts an Express request to a Call, whose message the pipeline reads with `readMessage`.
 *
 * @param readsBody whether `readMessage` reads the body
 */
export function readCall(
  request: Request,
  response: Response,
  readMessage: Call['read'] | undefined,
  readsBody = true,
): Call {
  const sentId = sentRequestId(request)
  return {
    transport: 'http',
    message: {},
    ...(readMessage && { read: readMessage, hasLargeBody: readsBody && hasLargeBody(request) }),
    credentials: {
      // Node keeps only the first of repeated headers. Joining all of them makes them invalid.
      authorization: request.headersDistinct.authorization?.join(', '),
      serviceKey: request.get('x-service-key'),
      adminTokens: readCookies(request.headers.cookie, 'admin_token'),
    },
    ip: request.ip ?? '',
    requestId:
      sentId === undefined ? readRequestId(request.get('x-request-id')) : escapeForLog(sentId),
    origin: readOrigin(request),
    scope: readScope(request, response),
    traceparent: request.get('traceparent'),
  }
}

/** The maximum size in bytes of a body that is read before authentication to save a statement. */
const maxSmallBody = 64 * 1024

function hasLargeBody({ headers }: Request): boolean {
  return (
    headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > maxSmallBody
  )
}

/**
 * Returns the Origin header, or true for a page of the same origin, because browsers omit the
 * header in some same-origin requests.
 */
function readOrigin(request: Request): string | true | undefined {
  const isSameOrigin = request.get('sec-fetch-site') === 'same-origin'
  return request.get('origin') ?? (isSameOrigin || undefined)
}

/** The milliseconds in each unit of `grpc-timeout` (gRPC over HTTP/2). */
const timeoutUnits: Record<string, number> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
}

/** The maximum delay of a Node timer in milliseconds, about 24 days. */
const maxTimerDelay = 2 ** 31 - 1

/** Returns a scope that is aborted when the connection closes or `grpc-timeout` has passed. */
function readScope(request: Request, response: Response): RequestScope {
  const controller = new AbortController()
  const abort = () => controller.abort()
  const [, amount, unit = ''] =
    /^(\d{1,8})([HMSmun])$/.exec(request.get('grpc-timeout') ?? '') ?? []
  const delay = Math.min(Number(amount) * (timeoutUnits[unit] ?? 0), maxTimerDelay)
  const timeout = amount ? setTimeout(abort, delay) : undefined
  response.once('close', () => {
    clearTimeout(timeout)
    if (!response.writableFinished) abort()
  })
  return { signal: controller.signal }
}
