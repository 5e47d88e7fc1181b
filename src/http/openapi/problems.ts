import { type ErrorCode, errorCodes, invalidArgument, ServiceError } from '../../core/errors.ts'
import type { DeclaredOperation } from '../../rpc/operation.ts'
import type { JsonSchema } from '../../rpc/schema.ts'
import { problemOf } from '../problem.ts'

/** The schema of every problem (RFC 9457). */
export const problemSchema: JsonSchema = {
  description: 'RFC 9457',
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'reason', 'request_id'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    reason: { type: 'string', description: 'Stable; what programs compare' },
    request_id: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['field', 'message'],
        properties: { field: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
}

/** One that each kind is met with; `method` and `internal` are nothing a method is described by. */
const examples = {
  failed_precondition: new ServiceError(
    'failed_precondition',
    'HOST_NOT_ALLOWED',
    'The Host header names no host of this service',
  ),
  unauthenticated: new ServiceError('unauthenticated', 'TOKEN_EXPIRED', 'The token has expired'),
  permission_denied: new ServiceError(
    'permission_denied',
    'OTHER_WORKSPACE',
    'The token is for another workspace',
  ),
  not_found: new ServiceError('not_found', 'RESOURCE_NOT_FOUND', 'Resource not found'),
  already_exists: new ServiceError(
    'already_exists',
    'SLUG_TAKEN',
    'Another workspace has this slug',
  ),
  payload_too_large: new ServiceError(
    'payload_too_large',
    'BODY_TOO_LARGE',
    'The body has more than 4194304 bytes',
  ),
  unsupported_media_type: new ServiceError(
    'unsupported_media_type',
    'NOT_JSON',
    'The body must be application/json, not untyped',
  ),
  invalid_argument: invalidArgument({ field: 'workspace_id', message: 'must be a UUID' }),
  resource_exhausted: new ServiceError(
    'resource_exhausted',
    'RATE_LIMITED',
    'Try again in 12 seconds',
    { retryAfter: 12 },
  ),
  unavailable: new ServiceError(
    'unavailable',
    'STORAGE_UNAVAILABLE',
    'The database is not available',
    {
      retryAfter: 1,
    },
  ),
} satisfies Partial<Record<ErrorCode, ServiceError>>

type Described = keyof typeof examples

/** References to the problems that a method can answer with; what else may happen is `default`. */
export function problemReferences(operation: DeclaredOperation, hasInput: boolean): object {
  const kinds = (Object.keys(examples) as Described[]).filter((kind) =>
    canEndWith(kind, operation, hasInput),
  )
  const names = [...kinds.map((kind) => errorCodes[kind].http), 'default']
  return Object.fromEntries(names.map((name) => [name, reference(name)]))
}

function canEndWith(
  kind: Described,
  { policy, route }: DeclaredOperation,
  hasInput: boolean,
): boolean {
  const { tier, leastRole, workspaceField, serviceField, errors } = policy
  if (errors.includes(kind)) return true
  if (kind === 'unauthenticated') return tier !== 'public'
  if (kind === 'permission_denied')
    return tier === 'admin' || Boolean(leastRole ?? workspaceField ?? serviceField)
  if (kind === 'not_found') return route.pathFields.length > 0
  if (kind === 'payload_too_large' || kind === 'unsupported_media_type')
    return route.body && hasInput
  if (kind === 'invalid_argument') return hasInput
  // What asks for nothing and takes nothing has nothing to read in PostgreSQL.
  if (kind === 'unavailable') return tier !== 'public' || hasInput
  return kind === 'failed_precondition' || kind === 'resource_exhausted'
}

/** The responses that those lead to. */
export function problemResponses(): Record<string, object> {
  const described = Object.entries(examples).map(([kind, fault]) => {
    const { http, title } = errorCodes[kind as Described]
    return [http, { description: title, headers: headersOf(fault), content: contentOf(fault) }]
  })
  const any = { description: 'A problem', content: contentOf(undefined) }
  return { ...Object.fromEntries(described), default: any }
}

function contentOf(fault: ServiceError | undefined): object {
  const schema = { $ref: '#/components/schemas/Problem' }
  const example = fault && problemOf(fault, '7c9e6679-7425-40de-944b-e07fc1f90ae7')
  return { 'application/problem+json': { schema, ...(example && { example }) } }
}

function headersOf({ code, retryAfter }: ServiceError): object {
  return {
    ...(code === 'unauthenticated' && { 'WWW-Authenticate': { schema: { type: 'string' } } }),
    ...(retryAfter !== undefined && {
      'Retry-After': { description: 'Seconds', schema: { type: 'integer', minimum: 1 } },
    }),
    ...limitHeaders,
  }
}

/** Where a client stands in the window that binds (draft-ietf-httpapi-ratelimit-headers). */
export const limitHeaders = {
  RateLimit: { $ref: '#/components/headers/RateLimit' },
  'RateLimit-Policy': { $ref: '#/components/headers/RateLimit-Policy' },
}

/** The headers that those lead to. */
export const limitHeaderSchemas = {
  RateLimit: { schema: { type: 'string' }, example: '"global";r=29;t=60' },
  'RateLimit-Policy': { schema: { type: 'string' }, example: '"global";q=30;w=60' },
}

function reference(name: string | number): object {
  return { $ref: `#/components/responses/${name}` }
}
