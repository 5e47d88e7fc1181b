import type {
  Condition,
  Context,
  Grant,
  Grantee,
  GrantTerms,
  Permission,
  Registration,
  Resource,
  Subject,
} from './argument-types.ts'
import { type Field, invalidArgument } from './errors.ts'

/** A subject in the format of the Access API. */
export type SubjectName = {
  type: 'access_token' | 'api_key' | 'user' | 'group' | 'link' | 'delegation' | 'anonymous'
  id: string
}

const maxTypeLength = 200
const maxIdLength = 255
const maxTokenLength = 16_384

/**
 * Converts a subject to the format of the Access API. Only the presence and length of arguments are
 * checked here, so that mistakes fail where they are made; the server validates the rest.
 *
 * @throws InvalidArgumentError
 */
export function nameSubject(subject: Subject): SubjectName {
  if (typeof subject === 'object' && subject !== null) {
    if ('token' in subject && isText(subject.token, maxTokenLength))
      return { type: isApiKey(subject.token) ? 'api_key' : 'access_token', id: subject.token }
    if ('apiKey' in subject && isText(subject.apiKey, maxTokenLength))
      return { type: 'api_key', id: subject.apiKey }
    if ('link' in subject && isText(subject.link, maxTokenLength))
      return { type: 'link', id: subject.link }
    if ('delegation' in subject && isText(subject.delegation, maxIdLength))
      return { type: 'delegation', id: subject.delegation }
    if ('anonymous' in subject && subject.anonymous === true)
      return { type: 'anonymous', id: 'anonymous' }
    if ('groupId' in subject && isText(subject.groupId, maxIdLength))
      return { type: 'group', id: subject.groupId }
    const id =
      'userId' in subject
        ? subject.userId
        : 'email' in subject
          ? subject.email
          : 'externalId' in subject
            ? subject.externalId
            : undefined
    if (isText(id, maxIdLength)) return { type: 'user', id }
  }
  const message =
    'must be { token }, { apiKey }, { userId }, { email }, { externalId }, { groupId }, { link } or ' +
    '{ delegation } with a non-empty string, or { anonymous: true }'
  throw invalidArgument({ field: 'subject', message })
}

/** Whether a token is meant to be the API key of a service account. */
export function isApiKey(token: string): boolean {
  return typeof token === 'string' && token.startsWith('da_')
}

/**
 * Requires that a token can be sent in a header.
 *
 * @throws InvalidArgumentError
 */
export function requireHeaderText(token: string | undefined): void {
  if (token === undefined || /^[\x20-\x7e]*$/.test(token)) return
  throw invalidArgument({ field: 'as', message: 'must be an access token' })
}

/** @throws InvalidArgumentError */
export function requireAction(action: string): void {
  if (isText(action, maxTypeLength)) return
  throw invalidArgument({ field: 'action', message: 'must be a string of 1 to 200 characters' })
}

/** @throws InvalidArgumentError */
export function requireResource(resource: Resource): void {
  if (isText(resource?.type, maxTypeLength) && isText(resource.id, maxIdLength)) return
  const fields: Field[] = []
  if (!isText(resource?.type, maxTypeLength))
    fields.push({ field: 'resource.type', message: 'must be a string of 1 to 200 characters' })
  if (!isText(resource?.id, maxIdLength))
    fields.push({ field: 'resource.id', message: 'must be a string of 1 to 255 characters' })
  throw invalidArgument(...fields)
}

/** @throws InvalidArgumentError */
export function requireType(type: string): void {
  requireResource({ type, id: 'any' })
}

/** The fields that name the grantee of a share in the API. */
export type GranteeName = {
  grantee_type: '' | 'user' | 'group'
  grantee_id: string
  grantee_email?: string
  grantee_external_id?: string
  group_name?: string
}

/** @throws InvalidArgumentError */
export function nameGrantee(grantee: Grantee): GranteeName {
  if (typeof grantee === 'object' && grantee !== null) {
    if ('userId' in grantee) return { grantee_type: 'user', grantee_id: grantee.userId }
    if ('groupId' in grantee) return { grantee_type: 'group', grantee_id: grantee.groupId }
    const noId = { grantee_type: '', grantee_id: '' } as const
    if ('email' in grantee) return { ...noId, grantee_email: grantee.email }
    if ('externalId' in grantee) return { ...noId, grantee_external_id: grantee.externalId }
    if ('group' in grantee) return { ...noId, group_name: grantee.group }
  }
  const message = 'must be { userId }, { email }, { externalId }, { groupId } or { group }'
  throw invalidArgument({ field: 'grantee', message })
}

/** The fields that name the owner of a resource in the API. */
export type OwnerName = { owner_id: string; owner_email?: string; owner_external_id?: string }

/** @throws InvalidArgumentError */
export function nameOwner(registration: Registration): OwnerName {
  if ('ownerId' in registration) return { owner_id: registration.ownerId }
  if ('ownerEmail' in registration) return { owner_id: '', owner_email: registration.ownerEmail }
  if ('ownerExternalId' in registration)
    return { owner_id: '', owner_external_id: registration.ownerExternalId }
  const message = 'is required, or ownerEmail or ownerExternalId'
  throw invalidArgument({ field: 'ownerId', message })
}

/** @throws InvalidArgumentError */
export function nameGrant(grant: Grant): { permission: Permission } | { role: string } {
  if (typeof grant === 'string') return { permission: grant }
  if (typeof grant?.role === 'string') return { role: grant.role }
  throw invalidArgument({ field: 'grant', message: 'must be view, edit or { role }' })
}

/**
 * Returns the fields of a request for the terms of a share or link.
 *
 * @throws InvalidArgumentError
 */
export function readTerms({ expiresAt, condition }: GrantTerms): {
  expires_at?: string
  condition?: Condition
} {
  return {
    ...(expiresAt && { expires_at: readTime('expiresAt', expiresAt) }),
    ...(condition && { condition: readCondition(condition) }),
  }
}

function readTime(field: string, time: Date): string {
  if (time instanceof Date && !Number.isNaN(time.getTime())) return time.toISOString()
  throw invalidArgument({ field, message: 'must be a valid Date' })
}

function readCondition({ name, params }: Condition): Condition {
  if (!isText(name, maxTypeLength))
    throw invalidArgument({ field: 'condition.name', message: 'must be a non-empty string' })
  return { name, ...(params && { params: readObject('condition.params', params) }) }
}

/**
 * Returns the field `context` of a request; nothing without a context.
 *
 * @throws InvalidArgumentError
 */
export function readContext(context: Context | undefined): { context?: Context } {
  return context === undefined ? {} : { context: readObject('context', context) }
}

/**
 * Returns an object as JSON has it: a Date is a string, and members that are undefined are absent.
 *
 * @throws InvalidArgumentError
 */
export function readObject(field: string, value: Record<string, unknown>): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidArgument({ field, message: 'must be an object' })
  try {
    return JSON.parse(JSON.stringify(value))
  } catch (error) {
    const message = `must contain only JSON values: ${(error as Error).message}`
    throw invalidArgument({ field, message })
  }
}

/** Whether a value is a string of 1 to `maxLength` characters, counted as code points. */
function isText(value: unknown, maxLength: number): value is string {
  if (typeof value !== 'string' || value.length === 0) return false
  return value.length <= maxLength || [...value].length <= maxLength
}
