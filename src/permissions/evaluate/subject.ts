import type { AccessSubject } from '../../../gen/daikon/v1/access.ts'
import { normalizeEmail } from '../../core/email.ts'
import { ServiceError } from '../../core/errors.ts'
import { isUuid } from '../../core/uuid.ts'
import type { Tokens } from '../../identity/tokens.ts'
import type { SubjectName } from './load-evaluations.ts'

/** Returns the name of a subject's user, or undefined if the subject cannot be a user. */
export type NameSubject = (
  subject: Pick<AccessSubject, 'type' | 'id'>,
) => Promise<SubjectName | undefined>

/** Creates a function that verifies and identifies subjects, each of them only once. */
export function createNameSubject(tokens: Pick<Tokens, 'verify'>): NameSubject {
  const named = new Map<string, Promise<SubjectName | undefined>>()
  return ({ type, id }) => {
    const key = `${type}\n${id}`
    const known = named.get(key)
    if (known) return known
    const name = nameSubject(tokens, type, id)
    named.set(key, name)
    return name
  }
}

async function nameSubject(
  tokens: Pick<Tokens, 'verify'>,
  type: string,
  id: string,
): Promise<SubjectName | undefined> {
  if (type === 'access_token') return nameTokenUser(tokens, id)
  if (type !== 'user') return undefined
  return {
    externalId: id,
    userId: isUuid(id) ? id : undefined,
    email: normalizeEmail(id),
  }
}

/**
 * Returns the user of an access token, or undefined if the token is invalid or has expired. Whether
 * it has been revoked is checked with the other facts.
 */
async function nameTokenUser(
  tokens: Pick<Tokens, 'verify'>,
  token: string,
): Promise<SubjectName | undefined> {
  try {
    const { sub, jti, wid } = await tokens.verify('access', token)
    return { userId: sub, token: { id: jti, workspaceId: wid } }
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'unauthenticated') return undefined
    throw error
  }
}
