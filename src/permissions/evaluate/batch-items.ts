import type { EvaluateRequest } from '../../../gen/daikon/v1/access.ts'
import type { FieldViolation } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json-object.ts'
import { findContextViolation } from './context.ts'

/** The entities of an evaluation, not yet validated. */
type Entities = Partial<Record<'subject' | 'action' | 'resource' | 'context', unknown>>

/** The required members of each entity, with their maximum lengths in characters. */
const members = {
  subject: { type: 200, id: 16_384 },
  action: { name: 200 },
  resource: { type: 200, id: 255 },
} as const

const maxUserIdLength = 255

/**
 * Fills in the defaults for a batch item and validates it by the rules of EvaluateRequest. An
 * entity of the item replaces the whole default: their members are not merged.
 */
export function readItem(
  item: unknown,
  defaults: Entities,
): { request: EvaluateRequest } | { violations: FieldViolation[] } {
  if (!isJsonObject(item)) return { violations: [{ field: '', message: 'must be an object' }] }
  const entity = (name: keyof Entities) =>
    Object.hasOwn(item, name) && item[name] !== undefined ? item[name] : defaults[name]
  const request = {
    subject: entity('subject'),
    action: entity('action'),
    resource: entity('resource'),
    context: entity('context'),
  }
  const violations = findViolations(request)
  // The field rules of the request have checked the default.
  if (isJsonObject(request.context) && request.context !== defaults.context) {
    const message = findContextViolation(request.context)
    if (message) violations.push({ field: 'context', message })
  }
  if (violations.length > 0) return { violations }
  return { request: request as EvaluateRequest }
}

/**
 * Validates the entities of an evaluation. The field rules of a batch request cannot require them,
 * because there they are optional defaults.
 */
export function findViolations(request: Entities): FieldViolation[] {
  const violations: FieldViolation[] = []
  for (const [name, lengths] of Object.entries(members)) {
    const entity = request[name as keyof Entities]
    if (entity === undefined) violations.push({ field: name, message: 'is required' })
    else if (!isJsonObject(entity)) violations.push({ field: name, message: 'must be an object' })
    else {
      for (const [member, maxLength] of Object.entries(lengths)) {
        const message = findTextViolation(entity[member], maxLength)
        if (message) violations.push({ field: `${name}.${member}`, message })
      }
      violations.push(...findPropertiesViolations(name, entity))
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

function findPropertiesViolations(name: string, entity: Record<string, unknown>): FieldViolation[] {
  const { properties } = entity
  if (properties === undefined || isJsonObject(properties)) return []
  return [{ field: `${name}.properties`, message: 'must be an object' }]
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
