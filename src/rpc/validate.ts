import type { FileRegistry } from '@bufbuild/protobuf'
import { Ajv, type ErrorObject } from 'ajv'
import type { DataValidateFunction } from 'ajv/dist/types/index.js'
import { blankCharacters, controlCharacters } from '../core/control-characters.ts'
import { normalizeEmail } from '../core/email.ts'
import { type FieldViolation, invalidArgument } from '../core/errors.ts'
import { isExternalId } from '../core/external-id.ts'
import { findContentViolation, findJsonViolation } from '../core/json-violation.ts'
import { findTextViolation } from '../core/text-violation.ts'
import { isTimestamp } from '../core/timestamp.ts'
import { isUuid } from '../core/uuid.ts'
import { createToCanonicalIds, type ToCanonicalIds } from './canonical-ids.ts'
import { checkAlternatives, checkFieldSets, readAlternatives, readFieldSets } from './field-sets.ts'
import { createToJsonPath } from './list-messages.ts'
import type { Method, Route } from './method.ts'
import { type JsonSchema, jsonObject, requestSchema } from './schema.ts'

/**
 * Validates a message in place: removes undeclared fields, fills in defaults and converts UUIDs to
 * lower case. Throws `invalid_argument` with every violation.
 */
export type Validator = (message: unknown) => void

/** Creates the validator of a method. Its field rules are compiled on first use. */
export function createValidator(
  registry: FileRegistry,
  { input, routes = [] }: Pick<Method, 'input'> & Partial<Pick<Method, 'routes'>>,
): Validator {
  let findFieldViolations: ReturnType<typeof compileSchema> | undefined
  let toCanonicalIds: ToCanonicalIds | undefined
  const fieldSets = readFieldSets(registry, input)
  const alternatives = readAlternatives(registry, input)
  const toJsonPath = createToJsonPath(registry, input)
  return (message) => {
    if (!findFieldViolations) {
      const schema = requireFields(requestSchema(registry, input), inEveryPath(routes))
      findFieldViolations = compileSchema(schema)
      toCanonicalIds = createToCanonicalIds(registry, input)
    }
    const violations = [
      ...findFieldViolations(message),
      ...checkFieldSets(fieldSets, message),
      ...checkAlternatives(alternatives, message),
    ]
    if (violations.length > 0) {
      const named = violations.map((one) => ({ ...one, field: toJsonPath(one.field) }))
      throw invalidArgument(...named)
    }
    toCanonicalIds?.(message)
  }
}

/**
 * Returns the fields that REST clients cannot omit. gRPC clients must not omit them either: without
 * its workspace, a request would reach the objects of every workspace.
 */
function inEveryPath(routes: Route[]): string[] {
  const [first, ...others] = routes.map(({ pathFields }) => pathFields)
  return (first ?? []).filter((field) => others.every((fields) => fields.includes(field)))
}

function requireFields(schema: JsonSchema, fields: string[]): JsonSchema {
  return { ...schema, required: [...new Set([...(schema.required as string[]), ...fields])] }
}

/** Compiles a schema to a function that returns the violations in a message. */
export function compileSchema(schema: JsonSchema): (message: unknown) => FieldViolation[] {
  const isValid = ajv.compile(schema)
  return (message) => (isValid(message) ? [] : toViolations(isValid.errors ?? []))
}

const name = new RegExp(`^[^${controlCharacters}\\p{Cs}]*$`, 'u')

const ajv = new Ajv({
  allErrors: true,
  removeAdditional: true,
  useDefaults: true,
  ownProperties: true,
  strictTypes: false,
  // The schemas come from `schema.ts`; validating them against the meta-schema would cost 50 ms.
  meta: false,
  validateSchema: false,
  formats: {
    // Formats accept an empty string, so that `minLength` reports it as a missing value.
    uuid: (text: string) => text === '' || isUuid(text),
    name,
    title: new RegExp(`^(?=.*[^${blankCharacters}])[^${controlCharacters}\\p{Cs}]*$|^$`, 'u'),
    text: /^([^\p{Cc}\p{Cs}]|[\n\r\t])*$/u,
    email: (text: string) => text === '' || normalizeEmail(text) !== undefined,
    // The 16 bytes of an id in base64url, and 8 bytes of a digest of the context.
    slug: (text: string) => !isUuid(text),
    page_token: /^([\w-]{21}[AQgw]|[\w-]{32})?$/,
    external_id: (text: string) => name.test(text) && isExternalId(text),
    source: (text: string) => text.isWellFormed(),
    storable: (text: string) => findTextViolation(text) === undefined,
    'date-time': isTimestamp,
  },
})

// A JSON object, for which `schema.ts` sets the limit from `max_json_bytes`.
ajv.addKeyword({
  keyword: jsonObject,
  type: 'object',
  compile: (limit: number | null) => {
    const validate: DataValidateFunction = (value: object) => {
      const violation =
        limit === null ? findContentViolation(value) : findJsonViolation(value, limit)
      if (violation) validate.errors = [{ keyword: jsonObject, params: { violation } }]
      return violation === undefined
    }
    return validate
  },
})

/** Messages by JSON Schema keyword. Each completes the sentence "<field> …". */
const messages: Record<string, (params: Record<string, unknown>) => string> = {
  required: () => 'is required',
  type: ({ type }) => `must be ${/^[aio]/.test(String(type)) ? 'an' : 'a'} ${type}`,
  format: ({ format }) => formatMessages[String(format)] ?? 'has an invalid format',
  enum: ({ allowedValues }) =>
    `must be one of ${(allowedValues as string[]).filter(Boolean).join(', ')}`,
  not: () => 'is reserved',
  minLength: ({ limit }) =>
    limit === 1 ? 'is required' : `must be at least ${limit} characters long`,
  maxLength: ({ limit }) => `must be at most ${limit} characters long`,
  pattern: ({ pattern }) => `must match ${pattern}`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  minItems: ({ limit }) => `must contain at least ${limit} ${limit === 1 ? 'item' : 'items'}`,
  [jsonObject]: ({ violation }) => String(violation),
  maxItems: ({ limit }) => `must contain at most ${limit} ${limit === 1 ? 'item' : 'items'}`,
}

const formatMessages: Record<string, string> = {
  uuid: 'must be a UUID',
  name: 'must not contain control characters',
  title: 'must not be blank or contain control characters',
  text: 'must not contain control characters',
  email: 'must be an e-mail address',
  slug: 'must not be a UUID, because it could be taken for the ID of another workspace',
  page_token: 'must be a page token from a previous response',
  external_id:
    'must not be in the form of a UUID or an e-mail address, or contain control characters',
  source: 'must be well-formed Unicode',
  storable: 'must be well-formed Unicode without the character U+0000',
  'date-time': 'must be a time such as 2026-01-31T12:00:00Z',
}

/** Returns the first violation of each field: a missing value is not also reported as too short. */
function toViolations(errors: ErrorObject[]): FieldViolation[] {
  const violations = new Map<string, FieldViolation>()
  for (const { keyword, instancePath, params } of errors) {
    // The list also contains the errors of its `else`.
    if (keyword === 'if') continue
    const message = messages[keyword]?.(params) ?? 'is invalid'
    const path = instancePath.split('/').slice(1)
    if (keyword === 'required') path.push(params.missingProperty)
    const field = formatPath(path)
    if (!violations.has(field)) violations.set(field, { field, message })
  }
  return [...violations.values()]
}

/** Formats a path such as `checks[0].action`. */
function formatPath(path: string[]): string {
  const steps = path.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`))
  return steps.join('').replace(/^\./, '')
}
