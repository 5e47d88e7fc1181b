import type { Grant, Grantee, Permission, Resource, Subject } from './api.ts'
import { type Field, invalidArgument } from './errors.ts'

/** A subject in the format of the Access API. */
export type SubjectName = { type: 'access_token' | 'api_key' | 'user' | 'group'; id: string }

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
    'must be { token }, { userId }, { email }, { externalId } or { groupId } with a non-empty string'
  throw invalidArgument({ field: 'subject', message })
}

/** Whether a token is meant to be the API key of a service account. */
export function isApiKey(token: string): boolean {
  return typeof token === 'string' && token.startsWith('da_')
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
export function nameGrantee(grantee: Grantee): { grantee_type: string; grantee_id: string } {
  if (typeof grantee === 'object' && grantee !== null) {
    if ('userId' in grantee) return { grantee_type: 'user', grantee_id: grantee.userId }
    if ('groupId' in grantee) return { grantee_type: 'group', grantee_id: grantee.groupId }
  }
  throw invalidArgument({ field: 'grantee', message: 'must be { userId } or { groupId }' })
}

/** @throws InvalidArgumentError */
export function nameGrant(grant: Grant): { permission: Permission } | { role: string } {
  if (typeof grant === 'string') return { permission: grant }
  if (typeof grant?.role === 'string') return { role: grant.role }
  throw invalidArgument({ field: 'permission', message: 'must be view, edit or { role }' })
}

/** Whether a value is a string of 1 to `maxLength` characters, counted as code points. */
function isText(value: unknown, maxLength: number): value is string {
  if (typeof value !== 'string' || value.length === 0) return false
  return value.length <= maxLength || [...value].length <= maxLength
}
