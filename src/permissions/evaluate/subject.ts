import type { AccessSubject } from '../../../gen/daikon/v1/access.ts'
import { normalizeEmail } from '../../core/email.ts'
import { ServiceError } from '../../core/errors.ts'
import { isUuid } from '../../core/uuid.ts'
import type { FindApiKey } from '../../identity/api-keys.ts'
import type { VerifyAccessToken } from '../../identity/token-memory.ts'
import type { Subject } from '../engine/question.ts'

/** The fields that identify a subject. */
export type SubjectId = Pick<AccessSubject, 'type' | 'id'>

/** Whom a subject names, if its type and the form of its ID are known and its token is valid. */
export type NamedSubject = {
  subject?: Subject | undefined
  /** Why its access token is not valid. */
  error?: ServiceError
}

/** What the context of a response says about a subject whose access token is not valid. */
export type SubjectContext = { subject_error: { reason: string; message: string } }

/** What names the subjects that secrets identify. */
export type SubjectNames = {
  verifyAccessToken: VerifyAccessToken
  /** Finds API keys. */
  findApiKey: FindApiKey
  /** Returns the ID of the link with a token, unless it is unknown, expired or revoked. */
  findLink(token: string): Promise<string | undefined>
}

/**
 * Names the subjects of a request, by their objects. A token that several objects contain is
 * verified only once.
 */
export async function nameSubjects(
  names: SubjectNames,
  subjects: Iterable<SubjectId>,
): Promise<Map<SubjectId, NamedSubject>> {
  const named = new Map<string, Map<string, Promise<NamedSubject>>>()
  const name = ({ type, id }: SubjectId) => {
    const ofType = named.get(type) ?? new Map<string, Promise<NamedSubject>>()
    named.set(type, ofType)
    const known = ofType.get(id) ?? nameSubject(names, { type, id })
    ofType.set(id, known)
    return known
  }
  const entries = [...new Set(subjects)].map(
    async (subject) => [subject, await name(subject)] as const,
  )
  return new Map(await Promise.all(entries))
}

async function nameLink(
  findLink: SubjectNames['findLink'],
  token: string,
): Promise<Subject | undefined> {
  const linkId = await findLink(token)
  return linkId === undefined ? undefined : { linkId }
}

/** Returns whom a subject names. */
export async function nameSubject(
  names: SubjectNames,
  subject: SubjectId | undefined,
): Promise<NamedSubject> {
  if (subject?.type === 'access_token') return nameTokenUser(names.verifyAccessToken, subject.id)
  return { subject: subject && (await nameOther(names, subject)) }
}

/** Explains to the caller that a token is not valid. A user without permissions needs no context. */
export function describeSubjectError({ error }: NamedSubject): SubjectContext | undefined {
  return error && { subject_error: { reason: error.reason, message: error.message } }
}

/** Returns undefined if the type of a subject or the form of its ID is unknown. */
async function nameOther(
  { findApiKey, findLink }: SubjectNames,
  { type, id }: SubjectId,
): Promise<Subject | undefined> {
  if (type === 'api_key') return nameKeyOwner(findApiKey, id)
  if (type === 'link') return nameLink(findLink, id)
  if (type === 'group') return isUuid(id) ? { groupId: id } : undefined
  if (type === 'anonymous') return { isAnonymous: true }
  if (type !== 'user') return undefined
  return nameUser(id)
}

/**
 * Reads the id of a user. Its form decides whether it is a user id, an e-mail address or an
 * external id, so that none of them can take precedence over another.
 */
export function nameUser(id: string): Subject {
  if (isUuid(id)) return { userId: id }
  const email = normalizeEmail(id)
  return email ? { email } : { externalId: id }
}

/**
 * Returns whom an administrator names, or undefined if the type or the form of the ID is unknown. A
 * link is named by its ID, because administrators do not have its token.
 */
export function nameListedSubject({ type, id }: SubjectId): Subject | undefined {
  if (type === 'user') return nameUser(id)
  if (type === 'anonymous') return { isAnonymous: true }
  if (!isUuid(id)) return undefined
  if (type === 'group') return { groupId: id }
  return type === 'link' ? { linkId: id } : undefined
}

/** Returns the service account of an API key. Whether the key has ended is checked with the facts. */
async function nameKeyOwner(findApiKey: FindApiKey, key: string): Promise<Subject | undefined> {
  const owner = await findApiKey(key, new Date())
  return owner && { userId: owner.userId, tokenId: owner.keyId, workspaceId: owner.workspaceId }
}

/**
 * Returns the user of an access token, or why the token is not valid. Whether it has been revoked is
 * checked with the other facts.
 */
async function nameTokenUser(
  verifyAccessToken: VerifyAccessToken,
  token: string,
): Promise<NamedSubject> {
  try {
    const { sub, jti, wid } = await verifyAccessToken(token)
    return { subject: { userId: sub, tokenId: jti, workspaceId: wid } }
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'unauthenticated') return { error }
    throw error
  }
}
