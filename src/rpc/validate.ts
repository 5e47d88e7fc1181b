import type { FileRegistry } from '@bufbuild/protobuf'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { normalizeEmail } from '../core/email.ts'
import { type FieldViolation, invalidArgument } from '../core/errors.ts'
import type { Method } from './method.ts'
import { requestSchema } from './schema.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Checks a message in place: drops what is not declared, fills defaults; throws every problem at once. */
export type Validator = (message: unknown) => void

/** The validator of a method, compiled from its field rules at its first use: few starts need all. */
export function createValidator(
  registry: FileRegistry,
  { input }: Pick<Method, 'input'>,
): Validator {
  let check: ValidateFunction | undefined
  return (message) => {
    check ??= ajv.compile(requestSchema(registry, input))
    if (check(message)) return
    throw invalidArgument(...problemsOf(check.errors ?? []))
  }
}

const ajv = new Ajv({
  allErrors: true,
  removeAdditional: true,
  useDefaults: true,
  ownProperties: true,
  strictTypes: false,
  // Ours are written by `schema.ts`; to read JSON Schema's own schema costs the first call 50 ms.
  meta: false,
  validateSchema: false,
  formats: {
    // An empty string is a missing one, and `minLength` says so.
    uuid: (text: string) => text === '' || uuid.test(text),
    name: /^[^\p{Cc}\p{Cs}]*$/u,
    title: /^(?=.*\S)[^\p{Cc}\p{Cs}]*$|^$/u,
    text: /^([^\p{Cc}\p{Cs}]|[\n\r\t])*$/u,
    email: (text: string) => text === '' || normalizeEmail(text) !== undefined,
    // The 16 bytes of an id.
    page_token: /^([\w-]{21}[AQgw])?$/,
    unicode: (text: string) => text.isWellFormed(),
  },
})

const sentences: Record<string, (params: Record<string, unknown>) => string> = {
  required: () => 'is required',
  type: ({ type }) => `must be ${/^[aio]/.test(String(type)) ? 'an' : 'a'} ${type}`,
  format: ({ format }) => formatSentences[String(format)] ?? 'has a wrong form',
  enum: ({ allowedValues }) => `must be one of ${(allowedValues as string[]).join(', ')}`,
  not: () => 'is reserved',
  minLength: ({ limit }) =>
    limit === 1 ? 'is required' : `must have ${limit} characters at least`,
  maxLength: ({ limit }) => `must have ${limit} characters at most`,
  pattern: ({ pattern }) => `must match ${pattern}`,
  minimum: ({ limit }) => `must be ${limit} at least`,
  maximum: ({ limit }) => `must be ${limit} at most`,
  minItems: ({ limit }) => `must have ${limit} items at least`,
  maxItems: ({ limit }) => `must have ${limit} items at most`,
}

const formatSentences: Record<string, string> = {
  uuid: 'must be a UUID',
  name: 'must have no control characters',
  title: 'must not be blank or have control characters',
  text: 'must have no control characters',
  email: 'must be an e-mail address',
  page_token: 'must come from the answer before',
  unicode: 'must be well-formed Unicode',
}

/** One problem a field, the first: a missing text is not also too short and of a wrong form. */
function problemsOf(errors: ErrorObject[]): FieldViolation[] {
  const problems = new Map<string, FieldViolation>()
  for (const { keyword, instancePath, params } of errors) {
    const sentence = sentences[keyword]
    if (!sentence) continue
    const path = instancePath.split('/').slice(1)
    if (keyword === 'required') path.push(params.missingProperty)
    const field = path.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join('')
    const name = field.replace(/^\./, '')
    if (!problems.has(name)) problems.set(name, { field: name, message: sentence(params) })
  }
  return [...problems.values()]
}
