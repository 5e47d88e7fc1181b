import {
  createError,
  type DaikonError,
  type ErrorCode,
  type Field,
  UnavailableError,
} from './errors.ts'

type RequestOptions = {
  method?: 'GET' | 'POST' | undefined
  /** A JSON body. */
  json?: object | undefined
  /** A form-encoded body. */
  form?: Record<string, string> | undefined
  accessToken?: string | undefined
  /** Completes the request even if the user leaves the page. */
  keepalive?: boolean | undefined
}

/** Sends requests to daikon. Every error it throws is a DaikonError. */
export type Http = (path: string, options?: RequestOptions) => Promise<unknown>

const codesByStatus: Record<number, ErrorCode> = {
  400: 'failed_precondition',
  401: 'unauthenticated',
  403: 'permission_denied',
  404: 'not_found',
  409: 'already_exists',
  413: 'invalid_argument',
  415: 'invalid_argument',
  422: 'invalid_argument',
  429: 'resource_exhausted',
  502: 'unavailable',
  503: 'unavailable',
  504: 'unavailable',
}

export function createHttp(issuer: string, timeoutMs: number): Http {
  return async (path, { method = 'POST', json, form, accessToken, keepalive = false } = {}) => {
    const headers: Record<string, string> = { accept: 'application/json' }
    if (accessToken) headers.authorization = `Bearer ${accessToken}`
    if (json) headers['content-type'] = 'application/json'
    const body = json ? JSON.stringify(json) : form ? new URLSearchParams(form) : null
    const signal = AbortSignal.timeout(timeoutMs)
    let response: Response
    let text: string
    try {
      // Cookies are omitted, because only the tokens identify the user.
      response = await fetch(issuer + path, {
        method,
        headers,
        body,
        signal,
        keepalive,
        credentials: 'omit',
        cache: 'no-store',
      })
      text = await response.text()
    } catch (cause) {
      throw toNetworkError(cause, issuer, timeoutMs)
    }
    const content = parseJson(text)
    if (!response.ok) throw toResponseError(response, content)
    if (content === undefined && text !== '') throw unexpectedResponse(response)
    return content
  }
}

/**
 * Creates the error for a response that did not come from daikon, for example from a captive
 * portal.
 */
function unexpectedResponse({ url, status }: { url: string; status: number }): UnavailableError {
  const message = `${url} returned an unexpected response (${status}). Check the issuer and the proxies in front of it`
  return new UnavailableError('UNEXPECTED_RESPONSE', message)
}

function toNetworkError(cause: unknown, issuer: string, timeoutMs: number): DaikonError {
  if (cause instanceof Error && cause.name === 'TimeoutError') {
    const message = `${issuer} did not respond within ${timeoutMs} ms`
    return createError('deadline_exceeded', 'DEADLINE_EXCEEDED', message, { cause })
  }
  const message = `Cannot reach ${issuer}. Check the issuer and the network, and that ${location.origin} is the origin of a redirect URI of the client app (CORS)`
  return new UnavailableError('UNREACHABLE', message, { cause })
}

type ErrorBody = {
  /** RFC 9457 */
  detail?: string
  reason?: string
  request_id?: string
  errors?: Field[]
  /** RFC 6749, section 5.2 */
  error?: string
  error_description?: string
}

export function toResponseError(response: Response, content: unknown): DaikonError {
  const { status, headers } = response
  const body: ErrorBody = typeof content === 'object' && content !== null ? content : {}
  const reason = body.reason ?? body.error?.toUpperCase()
  if (!reason) return unexpectedResponse(response)
  const code = codesByStatus[status] ?? 'internal'
  const message = body.detail ?? body.error_description ?? `daikon returned ${status}`
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return createError(code, reason, message, {
    fields: body.errors,
    requestId: body.request_id ?? headers.get('x-request-id') ?? undefined,
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : undefined,
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether the same request may succeed later. */
export function isTemporary({ code }: DaikonError): boolean {
  return (
    code === 'unavailable' ||
    code === 'deadline_exceeded' ||
    code === 'resource_exhausted' ||
    code === 'internal'
  )
}
