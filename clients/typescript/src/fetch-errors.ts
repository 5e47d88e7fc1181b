import { DaikonError, type ErrorCode, type Field, UnavailableError } from './errors.ts'
import { createServerError } from './server-errors.ts'

/** The codes of statuses, where the type of the problem does not name one. */
const codesByStatus: Record<number, ErrorCode> = {
  400: 'invalid_argument',
  401: 'unauthenticated',
  403: 'permission_denied',
  404: 'not_found',
  429: 'resource_exhausted',
  500: 'internal',
}

/** What gRPC calls the errors that have their own status in HTTP. */
const codesByType: Record<string, ErrorCode> = {
  gone: 'out_of_range',
  method_not_allowed: 'unimplemented',
  payload_too_large: 'out_of_range',
  unsupported_media_type: 'invalid_argument',
}

type ErrorBody = {
  /** RFC 9457 */
  type?: string
  detail?: string
  reason?: string
  request_id?: string
  errors?: Field[]
  /** RFC 6749, section 5.2 */
  error?: string
  error_description?: string
}

/** Converts an error response to a DaikonError. */
export function readProblem(response: Response, content: unknown): DaikonError {
  const { status, headers } = response
  const body: ErrorBody = typeof content === 'object' && content !== null ? content : {}
  const reason = body.reason ?? body.error?.toUpperCase()
  if (!reason) return unexpectedResponse(response)
  const name = body.type?.replace('urn:daikon:problem:', '').replaceAll('-', '_')
  const code = name ? (codesByType[name] ?? (name as ErrorCode)) : codesByStatus[status]
  const message = body.detail ?? body.error_description ?? `daikon returned ${status}`
  const seconds = headers.get('retry-after')
  return createServerError(code ?? 'unknown', reason, message, {
    fields: body.errors,
    requestId: body.request_id ?? headers.get('x-request-id') ?? undefined,
    retryAfterMs: seconds === null ? undefined : Number(seconds) * 1000,
  })
}

/** Creates the error for a response that did not come from daikon, but from a proxy, for example. */
export function unexpectedResponse({ url, status }: Response): UnavailableError {
  const message = `${url} returned an unexpected response (${status}). Check url and the proxies in front of daikon`
  return new UnavailableError('UNEXPECTED_RESPONSE', message)
}

/** Parses a body. Text that is not JSON, as of an error page, is undefined. */
export function readJson(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the error for an exception of `fetch`. A DaikonError is returned unchanged. */
export function unreachable(error: unknown, url: string): DaikonError {
  if (error instanceof DaikonError) return error
  const { message, cause } = error as Error
  const text = cause instanceof Error && cause.message ? cause.message : message
  return new UnavailableError(
    'UNREACHABLE',
    `No connection to ${url}: ${text}. Check url (the HTTP port is 8000 by default) and whether daikon is running.`,
    { cause: error },
  )
}
