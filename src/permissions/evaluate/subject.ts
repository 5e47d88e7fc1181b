import type { AccessSubject } from '../../../gen/daikon/v1/access.ts'
import { normalizeEmail } from '../../core/email.ts'
import { ServiceError } from '../../core/errors.ts'
import { isUuid } from '../../core/uuid.ts'
import type { Tokens } from '../../identity/tokens.ts'
import type { SubjectName } from './load-evaluations.ts'

/** Finds out who a subject is; undefined when no user can be meant. */
export type NameSubject = (
  subject: Pick<AccessSubject, 'type' | 'id'>,
) => Promise<SubjectName | undefined>

/** Creates a function that verifies and names subjects, each of them once. */
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

/** An invalid or expired token names nobody. Whether it is revoked is read with the other facts. */
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
