import type { FileRegistry } from '@bufbuild/protobuf'
import fc from 'fast-check'
import type { DeclaredOperation } from '../../src/rpc/operation.ts'
import { type JsonSchema, requestSchema } from '../../src/rpc/schema.ts'
import { grpcServices } from '../../src/server/grpc-services.ts'
import type { RawRequest } from './raw-requests.ts'
import type { RequestFixture } from './request-fixture.ts'

/** Requests derived from a method's schema, existing values and hostile values. */
export type MalformedRequests = {
  rest: fc.Arbitrary<RawRequest>
  grpc: fc.Arbitrary<{ path: string; bytes: Buffer; credentials: Record<string, string> }>
}

/**
 * Strings that often break servers: control characters, lone surrogates, patterns, prototypes and
 * limits.
 */
const hostileStrings = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udc00x',
  '\ufeff',
  '\u202e',
  '🥕'.repeat(70),
  '%',
  '_',
  '\\',
  "'",
  '"',
  '`',
  '$1',
  '{}',
  '[]',
  '%00',
  '%ff',
  '..',
  '../..',
  '//',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'NaN',
  '-0',
  '1e999',
  'true',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '00000000000000000000000000000000',
  '{00000000-0000-0000-0000-000000000000}',
  "' or 1=1 --",
  '=1+1',
  '\r\nx: y',
  'a@b@c',
  'http://x',
  'x'.repeat(10_000),
]
const hostileText = fc.oneof(
  fc.constantFrom(...hostileStrings),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
)
const hostileInteger = fc.constantFrom(0, -1, 1, 50, 51, 1001, 10_001, 2 ** 31 - 1, -(2 ** 31))

/** Creates generators of requests for a method from the values of a request fixture. */
export function malformedRequests(
  registry: FileRegistry,
  operation: DeclaredOperation,
  requests: RequestFixture,
): MalformedRequests {
  const schema = requestSchema(registry, operation.input)
  const known = requests.values
  const credentials = fc.oneof(
    { weight: 6, arbitrary: fc.constant(headersOf(requests.credentials(operation))) },
    { weight: 1, arbitrary: fc.constant({}) },
    {
      weight: 1,
      arbitrary: fc.constant({ authorization: 'Bearer a.b.c', 'x-service-key': 'dk_x' }),
    },
    {
      weight: 1,
      arbitrary: fc.constant(
        headersOf(requests.credentials(operation, requests.otherFixture.people.viewer)),
      ),
    },
  )
  return {
    rest: restRequests(operation, arbitraryValue('', schema, known, true), credentials),
    grpc: grpcRequests(operation, arbitraryValue('', schema, known, false), credentials),
  }
}

function restRequests(
  { route, policy }: DeclaredOperation,
  messages: fc.Arbitrary<unknown>,
  credentials: fc.Arbitrary<Record<string, string>>,
): fc.Arbitrary<RawRequest> {
  const types = fc.oneof(
    { weight: 9, arbitrary: fc.constant('application/json') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('text/plain', '', 'application/json; charset=x', '*/*'),
    },
  )
  const origin = policy.tier === 'admin' ? { origin: 'http://localhost:9004' } : {}
  return fc
    .record({ message: messages, credentials, type: types, change: changes })
    .map((generated) => {
      const rest = { ...(Object(generated.message) as Record<string, unknown>) }
      const path = route.path.replace(/\{(\w+)\}/g, (_, field) => {
        const value = rest[field]
        delete rest[field]
        return encodeURIComponent(String(value).toWellFormed())
      })
      const headers = { ...generated.credentials, ...origin }
      const method = route.verb.toUpperCase()
      if (!route.body) return { method, path: `${path}?${query(rest)}`, headers }
      const body = apply(generated.change, Buffer.from(JSON.stringify(rest)))
      const entity = { 'content-type': generated.type, 'content-length': String(body.length) }
      return { method, path, headers: { ...headers, ...entity }, body }
    })
}

function grpcRequests(
  { service, key }: DeclaredOperation,
  messages: fc.Arbitrary<unknown>,
  credentials: fc.Arbitrary<Record<string, string>>,
) {
  const services: Record<
    string,
    Record<string, { path: string; requestSerialize: unknown }>
  > = grpcServices
  const method = services[service]?.[key]
  if (!method) throw new Error(`${service} has no ${key}`)
  const serialize = method.requestSerialize as (value: unknown) => Buffer
  return fc.record({ message: messages, credentials, change: changes }).map((generated) => ({
    path: method.path,
    bytes: apply(generated.change, Buffer.from(serialize(generated.message))),
    credentials: generated.credentials,
  }))
}

/** Generates values for a schema, most of them valid. `anyType` adds values of other types. */
function arbitraryValue(
  name: string,
  schema: JsonSchema,
  known: Record<string, unknown>,
  anyType: boolean,
): fc.Arbitrary<unknown> {
  const { type, properties, required } = schema as {
    type: string
    properties?: Record<string, JsonSchema>
    required?: string[]
  }
  if (type === 'object') {
    const fields = Object.entries(properties ?? {}).map(([field, rules]) => [
      field,
      arbitraryValue(field, rules, known, anyType),
    ])
    // The protobuf encoder requires every field that is not optional.
    const lists = fields.filter(([field]) => properties?.[field as string]?.type === 'array')
    const needed = [...(required ?? []), ...lists.map(([field]) => field)]
    const keys = anyType ? {} : { requiredKeys: needed }
    return fc.record(Object.fromEntries(fields), keys as object)
  }
  const other = anyType ? [{ weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) }] : []
  if (type === 'array') {
    const items = (schema.items ?? (schema.else as JsonSchema).items) as JsonSchema
    // The handler validates items without a schema. The protobuf encoder accepts only objects.
    if (!items.type) return fc.array(anyType ? fc.jsonValue() : fc.constant({}), { maxLength: 3 })
    const item = arbitraryValue(name, items, known, anyType)
    const many = fc.array(item, { maxLength: 3 })
    const tooMany = fc.constant(Array(1001).fill(name === 'checks' ? {} : 'x'))
    const long = anyType ? [{ weight: 1, arbitrary: tooMany }] : []
    return fc.oneof({ weight: 20, arbitrary: many }, ...long, ...other)
  }
  // The protobuf encoder accepts only valid timestamps.
  if (schema.format === 'date-time' && !anyType) return validTimestamp
  const existing = typeof known[name] === type || (type === 'integer' && known[name] !== undefined)
  return fc.oneof(
    ...(existing ? [{ weight: 10, arbitrary: fc.constant(known[name]) }] : []),
    { weight: 5, arbitrary: validScalar(schema) },
    {
      weight: 2,
      arbitrary:
        type === 'string' ? hostileText : type === 'integer' ? hostileInteger : fc.boolean(),
    },
    ...other,
  )
}

const validTimestamp = fc
  .date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') })
  .map((date) => date.toISOString())

function validScalar(schema: JsonSchema): fc.Arbitrary<unknown> {
  const {
    type,
    minimum,
    maximum,
    pattern,
    format,
    minLength = 0,
    maxLength,
  } = schema as {
    type: string
    pattern?: string
    format?: string
  } & Record<string, number | undefined>
  if (schema.enum) return fc.constantFrom(...(schema.enum as string[]))
  if (type === 'boolean') return fc.boolean()
  if (type === 'integer')
    return fc.integer({ min: minimum ?? -(2 ** 31), max: maximum ?? 2 ** 31 - 1 })
  if (format === 'uuid') return fc.uuid()
  if (pattern) return fc.stringMatching(new RegExp(pattern), { size: '+1' })
  return fc.string({
    unit: 'grapheme',
    minLength,
    maxLength: Math.max(minLength, maxLength ?? 500),
  })
}

type Change = { offset: number; deleted: number; inserted: Uint8Array } | undefined

/** Deletes and inserts bytes in one of five requests. */
const changes: fc.Arbitrary<Change> = fc.option(
  fc.record({
    offset: fc.nat(2000),
    deleted: fc.nat(6),
    inserted: fc.uint8Array({ maxLength: 6 }),
  }),
  { freq: 4, nil: undefined },
)

function apply(change: Change, bytes: Buffer): Buffer {
  if (!change) return bytes
  const index = change.offset % (bytes.length + 1)
  return Buffer.concat([
    bytes.subarray(0, index),
    change.inserted,
    bytes.subarray(index + change.deleted),
  ])
}

function query(values: Record<string, unknown>): string {
  const pairs = Object.entries(values).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((item) => [
      name,
      typeof item === 'object' ? JSON.stringify(item) : String(item),
    ]),
  )
  return new URLSearchParams(pairs as [string, string][]).toString()
}

function headersOf(credentials: { token?: string; key?: string; admin?: string }) {
  return {
    ...(credentials.token && { authorization: `Bearer ${credentials.token}` }),
    ...(credentials.key && { 'x-service-key': credentials.key }),
    ...(credentials.admin && { cookie: `admin_token=${credentials.admin}` }),
  }
}
