import type { FileRegistry } from '@bufbuild/protobuf'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { controlCharacters } from '../core/control-characters.ts'
import { normalizeEmail } from '../core/email.ts'
import { type FieldViolation, invalidArgument } from '../core/errors.ts'
import { isUuid } from '../core/uuid.ts'
import { checkAlternatives, checkFieldSets, readAlternatives, readFieldSets } from './field-sets.ts'
import type { Method } from './method.ts'
import { requestSchema } from './schema.ts'

/**
 * Validates a message in place: removes undeclared fields and fills in defaults. Throws
 * `invalid_argument` with every violation.
 */
export type Validator = (message: unknown) => void

/** Creates the validator of a method. Its field rules are compiled on first use. */
export function createValidator(
  registry: FileRegistry,
  { input }: Pick<Method, 'input'>,
): Validator {
  let isValid: ValidateFunction | undefined
  const fieldSets = readFieldSets(registry, input)
  const alternatives = readAlternatives(registry, input)
  return (message) => {
    isValid ??= ajv.compile(requestSchema(registry, input))
    const fieldViolations = isValid(message) ? [] : toViolations(isValid.errors ?? [])
    const violations = [
      ...fieldViolations,
      ...checkFieldSets(fieldSets, message),
      ...checkAlternatives(alternatives, message),
    ]
    if (violations.length > 0) throw invalidArgument(...violations)
  }
}

/** RFC 3339, with a year that protobuf and an offset that PostgreSQL can represent. */
const timestamp = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-](0\d|1[0-5]):[0-5]\d)$/

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
    name: new RegExp(`^[^${controlCharacters}\\p{Cs}]*$`, 'u'),
    title: new RegExp(`^(?=.*\\S)[^${controlCharacters}\\p{Cs}]*$|^$`, 'u'),
    text: /^([^\p{Cc}\p{Cs}]|[\n\r\t])*$/u,
    email: (text: string) => text === '' || normalizeEmail(text) !== undefined,
    // The 16 bytes of an id in base64url.
    page_token: /^([\w-]{21}[AQgw])?$/,
    unicode: (text: string) => text.isWellFormed(),
    'date-time': (text: string) => timestamp.test(text) && !Number.isNaN(Date.parse(text)),
  },
})

/** Messages by JSON Schema keyword. Each completes the sentence "<field> …". */
const messages: Record<string, (params: Record<string, unknown>) => string> = {
  required: () => 'is required',
  type: ({ type }) => `must be ${/^[aio]/.test(String(type)) ? 'an' : 'a'} ${type}`,
  format: ({ format }) => formatMessages[String(format)] ?? 'has an invalid format',
  enum: ({ allowedValues }) => `must be one of ${(allowedValues as string[]).join(', ')}`,
  not: () => 'is reserved',
  minLength: ({ limit }) =>
    limit === 1 ? 'is required' : `must be at least ${limit} characters long`,
  maxLength: ({ limit }) => `must be at most ${limit} characters long`,
  pattern: ({ pattern }) => `must match ${pattern}`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  minItems: ({ limit }) => `must contain at least ${limit} ${limit === 1 ? 'item' : 'items'}`,
  maxItems: ({ limit }) => `must contain at most ${limit} ${limit === 1 ? 'item' : 'items'}`,
}

const formatMessages: Record<string, string> = {
  uuid: 'must be a UUID',
  name: 'must not contain control characters',
  title: 'must not be blank or contain control characters',
  text: 'must not contain control characters',
  email: 'must be an e-mail address',
  page_token: 'must be a page token from a previous response',
  unicode: 'must be well-formed Unicode',
  'date-time': 'must be a time such as 2026-01-31T12:00:00Z',
}

/** Returns the first violation of each field: a missing value is not also reported as too short. */
function toViolations(errors: ErrorObject[]): FieldViolation[] {
  const violations = new Map<string, FieldViolation>()
  for (const { keyword, instancePath, params } of errors) {
    const message = messages[keyword]
    if (!message) continue
    const path = instancePath.split('/').slice(1)
    if (keyword === 'required') path.push(params.missingProperty)
    const field = formatPath(path)
    if (!violations.has(field)) violations.set(field, { field, message: message(params) })
  }
  return [...violations.values()]
}

/** Formats a path such as `checks[0].action`. */
function formatPath(path: string[]): string {
  const steps = path.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`))
  return steps.join('').replace(/^\./, '')
}
