import { Fault, type FaultKind, faultKinds, invalid } from '../rpc/fault.ts'
import type { DeclaredOperation } from '../rpc/operation.ts'
import type { JsonSchema } from '../rpc/schema.ts'
import { problemOf } from './problem.ts'

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
  refused: new Fault(
    'refused',
    'HOST_NOT_ALLOWED',
    'The Host header names no host of this service',
  ),
  unauthenticated: new Fault('unauthenticated', 'TOKEN_EXPIRED', 'The token has expired'),
  forbidden: new Fault('forbidden', 'OTHER_WORKSPACE', 'The token is for another workspace'),
  missing: new Fault('missing', 'RESOURCE_NOT_FOUND', 'Resource not found'),
  conflict: new Fault('conflict', 'SLUG_TAKEN', 'Another workspace has this slug'),
  too_large: new Fault('too_large', 'BODY_TOO_LARGE', 'The body has more than 4194304 bytes'),
  media_type: new Fault('media_type', 'NOT_JSON', 'The body must be application/json, not untyped'),
  invalid: invalid({ field: 'workspace_id', message: 'must be a UUID' }),
  limited: new Fault('limited', 'RATE_LIMITED', 'Try again in 12 seconds', { retryAfter: 12 }),
  unavailable: new Fault('unavailable', 'STORAGE_UNAVAILABLE', 'The database is not available', {
    retryAfter: 1,
  }),
} satisfies Partial<Record<FaultKind, Fault>>

type Described = keyof typeof examples

/** References to the problems that a method can answer with; what else may happen is `default`. */
export function problemReferences(operation: DeclaredOperation, hasInput: boolean): object {
  const kinds = (Object.keys(examples) as Described[]).filter((kind) =>
    canEndWith(kind, operation, hasInput),
  )
  const names = [...kinds.map((kind) => faultKinds[kind].http), 'default']
  return Object.fromEntries(names.map((name) => [name, reference(name)]))
}

function canEndWith(
  kind: Described,
  { policy, route }: DeclaredOperation,
  hasInput: boolean,
): boolean {
  const { tier, leastRole, workspaceField, serviceField, faults } = policy
  if (faults.includes(kind)) return true
  if (kind === 'unauthenticated') return tier !== 'public'
  if (kind === 'forbidden')
    return tier === 'admin' || Boolean(leastRole ?? workspaceField ?? serviceField)
  if (kind === 'missing') return route.pathFields.length > 0
  if (kind === 'too_large' || kind === 'media_type') return route.body && hasInput
  if (kind === 'invalid') return hasInput
  // What asks for nothing and takes nothing has nothing to read in PostgreSQL.
  if (kind === 'unavailable') return tier !== 'public' || hasInput
  return kind === 'refused' || kind === 'limited'
}

/** The responses that those lead to. */
export function problemResponses(): Record<string, object> {
  const described = Object.entries(examples).map(([kind, fault]) => {
    const { http, title } = faultKinds[kind as Described]
    return [http, { description: title, headers: headersOf(fault), content: contentOf(fault) }]
  })
  const any = { description: 'A problem', content: contentOf(undefined) }
  return { ...Object.fromEntries(described), default: any }
}

function contentOf(fault: Fault | undefined): object {
  const schema = { $ref: '#/components/schemas/Problem' }
  const example = fault && problemOf(fault, '7c9e6679-7425-40de-944b-e07fc1f90ae7')
  return { 'application/problem+json': { schema, ...(example && { example }) } }
}

function headersOf({ kind, retryAfter }: Fault): object {
  return {
    ...(kind === 'unauthenticated' && { 'WWW-Authenticate': { schema: { type: 'string' } } }),
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
