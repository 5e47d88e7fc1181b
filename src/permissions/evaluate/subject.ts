import type { AccessSubject } from '../../../gen/daikon/v1/access.ts'
import { normalizeEmail } from '../../core/email.ts'
import { ServiceError } from '../../core/errors.ts'
import { isUuid } from '../../core/uuid.ts'
import type { FindApiKey } from '../../identity/api-keys.ts'
import type { VerifyAccessToken } from '../../identity/token-memory.ts'
import type { Subject } from '../engine/question.ts'

/** The fields that identify a subject. */
export type SubjectId = Pick<AccessSubject, 'type' | 'id'>

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
): Promise<Map<SubjectId, Subject | undefined>> {
  const named = new Map<string, Map<string, Promise<Subject | undefined>>>()
  const name = ({ type, id }: SubjectId) => {
    const ofType = named.get(type) ?? new Map<string, Promise<Subject | undefined>>()
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

/** Returns whom a subject names, or undefined if its type or the form of its ID is unknown. */
export async function nameSubject(
  { verifyAccessToken, findApiKey, findLink }: SubjectNames,
  { type, id }: SubjectId,
): Promise<Subject | undefined> {
  if (type === 'access_token') return nameTokenUser(verifyAccessToken, id)
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
 * Returns the user of an access token, or undefined if the token is invalid or has expired. Whether
 * it has been revoked is checked with the other facts.
 */
async function nameTokenUser(
  verifyAccessToken: VerifyAccessToken,
  token: string,
): Promise<Subject | undefined> {
  try {
    const { sub, jti, wid } = await verifyAccessToken(token)
    return { userId: sub, tokenId: jti, workspaceId: wid }
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'unauthenticated') return undefined
    throw error
  }
}
