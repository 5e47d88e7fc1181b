import type { ErrorReason } from '../../core/define-reasons.ts'
import { type ErrorCode, errorCodes } from '../../core/error-codes.ts'
import { type FieldViolation, ServiceError } from '../../core/errors.ts'
import type { DeclaredOperation } from '../../rpc/operation.ts'
import { httpStatus, toProblem } from '../../rpc/problem.ts'
import type { JsonSchema } from '../../rpc/schema.ts'

/** The schema of every error response (RFC 9457). */
export const problemSchema: JsonSchema = {
  description: 'Problem details (RFC 9457).',
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'reason', 'request_id'],
  properties: {
    type: { type: 'string', description: 'A URN that identifies the error code.' },
    title: { type: 'string', description: 'The name of the error code.' },
    status: { type: 'integer', description: 'The HTTP status.' },
    detail: { type: 'string', description: 'An explanation for developers. It may change.' },
    reason: { type: 'string', description: 'A stable identifier for programs to compare.' },
    request_id: { type: 'string', description: 'Identifies the request in the server log.' },
    errors: {
      type: 'array',
      description: 'The invalid fields of the request.',
      items: { $ref: '#/components/schemas/FieldProblem' },
    },
  },
}

/** The schema of an invalid field in `problemSchema`. */
export const fieldProblemSchema: JsonSchema = {
  type: 'object',
  required: ['field', 'message'],
  properties: {
    field: { type: 'string', description: 'Such as `checks[0].action`.' },
    message: { type: 'string' },
  },
}

type Example = {
  reason: string
  detail?: string
  violations?: FieldViolation[]
  retryAfter?: number
}

/** An example of each error that operations document; the others are `default`. */
const examples = {
  failed_precondition: { reason: 'HOST_NOT_ALLOWED' },
  unauthenticated: { reason: 'TOKEN_EXPIRED' },
  permission_denied: { reason: 'OTHER_WORKSPACE' },
  not_found: { reason: 'RESOURCE_NOT_FOUND' },
  already_exists: { reason: 'SLUG_TAKEN' },
  aborted: { reason: 'CHANGED_SINCE_READ' },
  payload_too_large: { reason: 'BODY_TOO_LARGE', detail: 'The body exceeds 262144 bytes' },
  unsupported_media_type: { reason: 'NOT_JSON' },
  invalid_argument: {
    reason: 'INVALID_REQUEST',
    detail: 'workspace_id must be a UUID',
    violations: [{ field: 'workspace_id', message: 'must be a UUID' }],
  },
  resource_exhausted: {
    reason: 'RATE_LIMITED',
    detail: 'Rate limit exceeded; try again in 12 seconds',
    retryAfter: 12,
  },
  unavailable: { reason: 'STORAGE_UNAVAILABLE', retryAfter: 1 },
} as const satisfies Partial<Record<ErrorCode, Example>>

type DocumentedCode = keyof typeof examples

/** The reasons in the examples, most of which belong to features. */
export type ExampleReasons = Record<(typeof examples)[DocumentedCode]['reason'], ErrorReason>

/** Returns references to the error responses of an operation, by HTTP status. */
export function problemReferences(operation: DeclaredOperation, hasInput: boolean): object {
  const codes = (Object.keys(examples) as DocumentedCode[]).filter((code) =>
    canFailWith(code, operation, hasInput),
  )
  const names = [...codes.map((code) => httpStatus(code, operation.policy.profile)), 'default']
  return Object.fromEntries(names.map((name) => [name, refer(name)]))
}

/** The variants of credentials by which software calls. */
const machines = ['service_account', 'delegated']

function canFailWith(
  code: DocumentedCode,
  { policy, route, bindings }: DeclaredOperation,
  hasInput: boolean,
): boolean {
  const { tier, leastRole, workspaceField, serviceField, errors, ignoresUnknownParameters } = policy
  if (errors.includes(code)) return true
  switch (code) {
    case 'failed_precondition':
    case 'resource_exhausted':
      return true
    case 'unauthenticated':
      return tier !== 'public'
    case 'permission_denied':
      // Service accounts and agents may call few methods.
      if (tier === 'user' && machines.some((name) => !policy.variants.includes(name))) return true
      return tier === 'admin' || Boolean(leastRole ?? workspaceField ?? serviceField)
    case 'not_found':
      return route.pathFields.length > 0
    case 'already_exists':
      return false
    case 'aborted':
      return bindings.request.some(({ header }) => header === 'if-match')
    case 'payload_too_large':
    case 'unsupported_media_type':
      return route.body && hasInput
    case 'invalid_argument':
      // Unless they are ignored, undeclared query parameters are invalid on every route.
      return hasInput || !ignoresUnknownParameters
    case 'unavailable':
      // Public methods without input do not use the database.
      return tier !== 'public' || hasInput
  }
}

/** Returns the error responses, by HTTP status. */
export function problemResponses(reasons: ExampleReasons): Record<string, object> {
  const responses = Object.values(examples).map(({ reason, ...example }) => {
    const { detail, ...options }: Omit<Example, 'reason'> = example
    const error = new ServiceError(reasons[reason], detail, options)
    const { http, title } = errorCodes[error.code]
    return [http, { description: title, headers: headersOf(error), content: contentOf(error) }]
  })
  const otherResponse = { description: 'Any other error', content: contentOf(undefined) }
  return { ...Object.fromEntries(responses), default: otherResponse }
}

function contentOf(error: ServiceError | undefined): object {
  const schema = { $ref: '#/components/schemas/Problem' }
  const example = error && toProblem(error, '7c9e6679-7425-40de-944b-e07fc1f90ae7')
  return { 'application/problem+json': { schema, ...(example && { example }) } }
}

function headersOf({ code, retryAfter }: ServiceError): object {
  return {
    ...(code === 'unauthenticated' && { 'WWW-Authenticate': { schema: { type: 'string' } } }),
    ...(retryAfter !== undefined && {
      'Retry-After': { description: 'Seconds', schema: { type: 'integer', minimum: 1 } },
    }),
    ...rateLimitHeaderReferences,
  }
}

/** The schema of the error responses of the OAuth endpoints (RFC 6749, 5.2). */
export const oauthErrorSchema: JsonSchema = {
  description: 'An error of an OAuth endpoint (RFC 6749, section 5.2).',
  type: 'object',
  required: ['error', 'error_description'],
  properties: {
    error: { type: 'string', description: 'Such as `invalid_grant`.' },
    error_description: { type: 'string', description: 'An explanation for developers.' },
  },
}

/** Returns the error responses of an OAuth endpoint, by HTTP status. */
export function oauthErrorResponses({ policy }: DeclaredOperation): object {
  const schema = { $ref: '#/components/schemas/OAuthError' }
  const respond = (description: string, error: string) => ({
    description,
    headers: rateLimitHeaderReferences,
    content: { 'application/json': { schema, example: { error, error_description: description } } },
  })
  const needsCredentials = policy.tier !== 'public' || policy.errors.includes('unauthenticated')
  const isUser = policy.tier === 'user' || policy.tier === 'service'
  return {
    400: respond('The request or the grant is not valid', 'invalid_request'),
    ...(needsCredentials && {
      401: respond('The credentials are not valid', isUser ? 'invalid_token' : 'invalid_client'),
    }),
    ...(policy.errors.includes('permission_denied') && {
      403: respond('The scope of the token is too narrow', 'insufficient_scope'),
    }),
    429: respond('Too many requests', 'temporarily_unavailable'),
    503: respond('The database is not available', 'temporarily_unavailable'),
    default: respond('Any other error', 'server_error'),
  }
}

/** References to `rateLimitHeaders`. */
export const rateLimitHeaderReferences = {
  RateLimit: { $ref: '#/components/headers/RateLimit' },
  'RateLimit-Policy': { $ref: '#/components/headers/RateLimit-Policy' },
}

/** The rate limit headers of every response (draft-ietf-httpapi-ratelimit-headers). */
export const rateLimitHeaders = {
  RateLimit: {
    description: 'The remaining requests (`r`) and the seconds until one more is allowed (`t`).',
    schema: { type: 'string' },
    example: '"global";r=29;t=60',
  },
  'RateLimit-Policy': {
    description: 'The allowed requests (`q`) per window of `w` seconds.',
    schema: { type: 'string' },
    example: '"global";q=30;w=60',
  },
}

function refer(name: string | number): object {
  return { $ref: `#/components/responses/${name}` }
}
