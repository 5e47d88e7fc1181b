import type {
  AccessSubject,
  EvaluateBatchRequest,
  EvaluateRequest,
} from '../../../gen/daikon/v1/access.ts'
import type { FieldViolation } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json-object.ts'
import { findContentViolation } from '../../core/json-violation.ts'
import { findContextViolation } from './context.ts'

/** The entities of an evaluation, not yet validated. */
type Entities = Partial<Record<'subject' | 'action' | 'resource' | 'context', unknown>>

/** The required members of each entity, with their maximum lengths in characters. */
const members = [
  {
    name: 'subject',
    lengths: [
      ['type', 200],
      ['id', 16_384],
    ],
  },
  { name: 'action', lengths: [['name', 200]] },
  {
    name: 'resource',
    lengths: [
      ['type', 200],
      ['id', 255],
    ],
  },
] as const

const maxUserIdLength = 255

/** An evaluation of a batch that satisfies the rules of EvaluateRequest, or what is wrong with it. */
export type BatchItem =
  | { request: EvaluateRequest; violations?: never }
  | { request?: never; violations: FieldViolation[] }

/**
 * Returns the items of a batch, or the single evaluation of a request without items. Consecutive
 * items with the same subject share its object.
 */
export function readItems({
  evaluations,
  options: _,
  ...defaults
}: EvaluateBatchRequest): BatchItem[] {
  if (evaluations.length === 0) return [{ request: defaults as EvaluateRequest }]
  let previous: EvaluateRequest | undefined
  return evaluations.map((item: unknown) => {
    const found = readItem(item, defaults, previous)
    previous = found.request
    return found
  })
}

/**
 * Fills in the defaults for a batch item and validates it by the rules of EvaluateRequest. An
 * entity of the item replaces the whole default: their members are not merged.
 *
 * @param valid a valid request, whose subject replaces that of the item if they are equal
 */
function readItem(
  item: unknown,
  defaults: Entities,
  valid: EvaluateRequest | undefined,
): BatchItem {
  if (!isJsonObject(item)) return { violations: [{ field: '', message: 'must be an object' }] }
  const subject = readEntity(item, defaults, 'subject')
  const request = {
    subject: isSameSubject(subject, valid?.subject) ? valid?.subject : subject,
    action: readEntity(item, defaults, 'action'),
    resource: readEntity(item, defaults, 'resource'),
    context: readEntity(item, defaults, 'context'),
  }
  const violations = findViolations(request, valid)
  // The field rules of the request have checked the default.
  if (isJsonObject(request.context) && request.context !== defaults.context) {
    const message = findContextViolation(request.context)
    if (message) violations.push({ field: 'context', message })
  }
  if (violations.length > 0) return { violations }
  return { request: request as EvaluateRequest }
}

function readEntity(
  item: Record<string, unknown>,
  defaults: Entities,
  name: keyof Entities,
): unknown {
  return Object.hasOwn(item, name) && item[name] !== undefined ? item[name] : defaults[name]
}

function isSameSubject(subject: unknown, valid: AccessSubject | undefined): boolean {
  if (!valid || !isJsonObject(subject)) return false
  const { type, id, properties } = subject
  return type === valid.type && id === valid.id && properties === valid.properties
}

/**
 * Validates the entities of an evaluation, except for texts that a valid request also has. The field
 * rules of a batch request cannot require them, because there they are optional defaults.
 */
export function findViolations(request: Entities, valid?: EvaluateRequest): FieldViolation[] {
  const violations: FieldViolation[] = []
  for (const { name, lengths } of members) {
    const entity = request[name]
    if (entity === undefined) violations.push({ field: name, message: 'is required' })
    else if (!isJsonObject(entity)) violations.push({ field: name, message: 'must be an object' })
    else {
      const known = valid?.[name] as Record<string, unknown> | undefined
      for (const [member, maxLength] of lengths) {
        const text = entity[member]
        if (known && text === known[member]) continue
        const message = findTextViolation(text, maxLength)
        if (message) violations.push({ field: `${name}.${member}`, message })
      }
      const { properties } = entity
      if (properties === undefined || properties === known?.properties) continue
      const message = isJsonObject(properties)
        ? findContentViolation(properties)
        : 'must be an object'
      if (message) violations.push({ field: `${name}.properties`, message })
    }
  }
  if (request.context !== undefined && !isJsonObject(request.context))
    violations.push({ field: 'context', message: 'must be an object' })
  return violations.length > 0 ? violations : findSubjectViolations(request.subject)
}

/** Limits the length of a subject id, except for access tokens, which are longer than user ids. */
export function findSubjectViolations(subject: unknown): FieldViolation[] {
  const { type, id } = subject as { type: string; id: string }
  if (type === 'access_token' || !isLonger(id, maxUserIdLength)) return []
  const message = `must be at most ${maxUserIdLength} characters long`
  return [{ field: 'subject.id', message }]
}

function findTextViolation(value: unknown, maxLength: number): string | undefined {
  if (value === undefined || value === '') return 'is required'
  if (typeof value !== 'string') return 'must be a string'
  if (isLonger(value, maxLength)) return `must be at most ${maxLength} characters long`
  if (/[\p{Cc}\p{Cs}]/u.test(value)) return 'must not contain control characters'
  return undefined
}

/** Counts code points, not UTF-16 code units. */
function isLonger(text: string, maxLength: number): boolean {
  return text.length > maxLength && [...text].length > maxLength
}
