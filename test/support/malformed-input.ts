import type { FileRegistry } from '@bufbuild/protobuf'
import fc from 'fast-check'
import type { DeclaredOperation } from '../../src/rpc/operation.ts'
import { type JsonSchema, requestSchema } from '../../src/rpc/schema.ts'
import { grpcServices } from '../../src/server/grpc-services.ts'
import type { RawRequest } from './raw-requests.ts'
import type { RequestFixture } from './request-fixture.ts'

/** Requests of a method made of its own schema, of what exists, and of what nobody should send. */
export type MalformedRequests = {
  rest: fc.Arbitrary<RawRequest>
  grpc: fc.Arbitrary<{ path: string; bytes: Buffer; shown: Record<string, string> }>
}

/** What has broken servers before: control characters, halves of pairs, patterns, prototypes, bounds. */
const nasty = [
  ...['', ' ', '\u0000', 'a\u0000b', '\ud800', '\udc00x', '\ufeff', '\u202e', '🥕'.repeat(70)],
  ...['%', '_', '\\', "'", '"', '`', '$1', '{}', '[]', '%00', '%ff', '..', '../..', '//'],
  ...['__proto__', 'constructor', 'toString', 'null', 'undefined', 'NaN', '-0', '1e999', 'true'],
  ...['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
  ...['00000000000000000000000000000000', '{00000000-0000-0000-0000-000000000000}'],
  ...["' or 1=1 --", '=1+1', '\r\nx: y', 'a@b@c', 'http://x', 'x'.repeat(10_000)],
]
const nastyText = fc.oneof(
  fc.constantFrom(...nasty),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
)
const nastyInteger = fc.constantFrom(0, -1, 1, 50, 51, 1001, 10_001, 2 ** 31 - 1, -(2 ** 31))

/** The requests of a method on its grounds. */
export function malformedRequests(
  registry: FileRegistry,
  operation: DeclaredOperation,
  grounds: RequestFixture,
): MalformedRequests {
  const schema = requestSchema(registry, operation.input)
  const known = grounds.values
  const credentials = fc.oneof(
    { weight: 6, arbitrary: fc.constant(headersOf(grounds.shown(operation))) },
    { weight: 1, arbitrary: fc.constant({}) },
    {
      weight: 1,
      arbitrary: fc.constant({ authorization: 'Bearer a.b.c', 'x-service-key': 'dk_x' }),
    },
    {
      weight: 1,
      arbitrary: fc.constant(headersOf(grounds.shown(operation, grounds.stranger.people.viewer))),
    },
  )
  return {
    rest: restRequests(operation, wildValue('', schema, known, true), credentials),
    grpc: grpcRequests(operation, wildValue('', schema, known, false), credentials),
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
  return fc.record({ message: messages, credentials, type: types, change: changes }).map((wild) => {
    const rest = { ...(Object(wild.message) as Record<string, unknown>) }
    const path = route.path.replace(/\{(\w+)\}/g, (_, field) => {
      const value = rest[field]
      delete rest[field]
      return encodeURIComponent(String(value).toWellFormed())
    })
    const headers = { ...wild.credentials, ...origin }
    const method = route.verb.toUpperCase()
    if (!route.body) return { method, path: `${path}?${query(rest)}`, headers }
    const body = apply(wild.change, Buffer.from(JSON.stringify(rest)))
    const entity = { 'content-type': wild.type, 'content-length': String(body.length) }
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
  return fc.record({ message: messages, credentials, change: changes }).map((wild) => ({
    path: method.path,
    bytes: apply(wild.change, Buffer.from(serialize(wild.message))),
    shown: wild.credentials,
  }))
}

/** A value by its schema, most often a valid one; with `anything` also of another type. */
function wildValue(
  name: string,
  schema: JsonSchema,
  known: Record<string, unknown>,
  anything: boolean,
): fc.Arbitrary<unknown> {
  const { type, properties, required } = schema as {
    type: string
    properties?: Record<string, JsonSchema>
    required?: string[]
  }
  if (type === 'object') {
    const fields = Object.entries(properties ?? {}).map(([field, rules]) => [
      field,
      wildValue(field, rules, known, anything),
    ])
    // protobuf's encoder wants every field that is not optional.
    const lists = fields.filter(([field]) => properties?.[field as string]?.type === 'array')
    const needed = [...(required ?? []), ...lists.map(([field]) => field)]
    const keys = anything ? {} : { requiredKeys: needed }
    return fc.record(Object.fromEntries(fields), keys as object)
  }
  const other = anything ? [{ weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) }] : []
  if (type === 'array') {
    const items = (schema.items ?? (schema.else as JsonSchema).items) as JsonSchema
    const item = wildValue(name, items, known, anything)
    const many = fc.array(item, { maxLength: 3 })
    const tooMany = fc.constant(Array(1001).fill(name === 'checks' ? {} : 'x'))
    const long = anything ? [{ weight: 1, arbitrary: tooMany }] : []
    return fc.oneof({ weight: 20, arbitrary: many }, ...long, ...other)
  }
  const existing = typeof known[name] === type || (type === 'integer' && known[name] !== undefined)
  return fc.oneof(
    ...(existing ? [{ weight: 10, arbitrary: fc.constant(known[name]) }] : []),
    { weight: 5, arbitrary: validScalar(schema) },
    {
      weight: 2,
      arbitrary: type === 'string' ? nastyText : type === 'integer' ? nastyInteger : fc.boolean(),
    },
    ...other,
  )
}

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

type Change = { at: number; drop: number; insert: Uint8Array } | undefined

/** Bytes struck out and put in, in one request of five. */
const changes: fc.Arbitrary<Change> = fc.option(
  fc.record({ at: fc.nat(2000), drop: fc.nat(6), insert: fc.uint8Array({ maxLength: 6 }) }),
  { freq: 4, nil: undefined },
)

function apply(change: Change, bytes: Buffer): Buffer {
  if (!change) return bytes
  const at = change.at % (bytes.length + 1)
  return Buffer.concat([bytes.subarray(0, at), change.insert, bytes.subarray(at + change.drop)])
}

function query(values: Record<string, unknown>): string {
  const pairs = Object.entries(values).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((item) => [name, String(item)]),
  )
  return new URLSearchParams(pairs as [string, string][]).toString()
}

function headersOf(shown: { token?: string; key?: string; admin?: string }) {
  return {
    ...(shown.token && { authorization: `Bearer ${shown.token}` }),
    ...(shown.key && { 'x-service-key': shown.key }),
    ...(shown.admin && { cookie: `admin_token=${shown.admin}` }),
  }
}
