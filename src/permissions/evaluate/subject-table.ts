import { normalizeEmail } from '../../core/email.ts'
import { ServiceError } from '../../core/errors.ts'
import { isUuid } from '../../core/uuid.ts'
import type { FindApiKey } from '../../identity/api-keys.ts'
import type { VerifyAccessToken } from '../../identity/user-tokens.ts'
import type { Subject } from '../engine/question.ts'
import type { FindLink } from '../find-link.ts'
import type { Denial } from './reasons.ts'

/** Whom a subject names, if its type and the form of its ID are known and its token is valid. */
export type NamedSubject = {
  subject?: Subject | undefined
  /** Why its access token is not valid. */
  error?: ServiceError
  /** Why the request is denied, if that is not what the type says. */
  refusal?: { rule: Denial; cause: string }
  /** The service whose API the access token is limited to, if any. */
  forService?: string | undefined
}

/** What names the subjects that secrets identify. */
export type SubjectNames = {
  verifyAccessToken: VerifyAccessToken
  /** Finds API keys. */
  findApiKey: FindApiKey
  findLink: FindLink
}

/** A type of subject in requests. */
export type SubjectType = {
  /** Returns whom an ID names. */
  name(id: string, names: SubjectNames): NamedSubject | Promise<NamedSubject>
  /** Returns whom an administrator names, who does not have secrets. Null if no ID names anyone. */
  nameListed: ((id: string) => Subject | undefined) | null
  /** Who a sentence says it is without a name, if that is not the ID. */
  title?: string
  /** Why a request is denied whose ID names no one. Null if every ID names someone. */
  unnamed: { rule: Denial; cause: string } | null
  /** Says that there is no such subject. */
  describeUnknown(action: string, resourceType: string): string
  /** Why a request is denied whose secret was valid and has been revoked. */
  revoked?: string
  /** What sentences add to an unknown resource, and say of an unknown workspace. */
  limits?: { resource: string; workspace: string }
}

/** Why a request is denied whose access token is limited to the API of another service. */
export const otherAudience = {
  rule: 'wrong_audience',
  cause: 'the access token is limited to the API of another service',
} as const

const unknownDelegation = 'there is no such delegation'

/** The types of subjects. */
const subjectTypes: Record<string, SubjectType> = {
  user: {
    name: (id) => ({ subject: nameUser(id) }),
    nameListed: nameUser,
    unnamed: null,
    describeUnknown: () => 'there is no such user',
  },
  access_token: {
    name: nameTokenUser,
    nameListed: null,
    title: 'The user of the access token',
    unnamed: { rule: 'user_unknown', cause: 'the access token is not valid' },
    describeUnknown: () => 'there is no such user',
    revoked: 'the access token has been revoked',
    limits: {
      resource: ' in the workspace of the access token',
      workspace: 'the access token is not for a workspace of this name',
    },
  },
  api_key: {
    name: nameKeyOwner,
    nameListed: null,
    title: 'The service account of the API key',
    unnamed: { rule: 'user_unknown', cause: 'the API key is not valid' },
    describeUnknown: () => 'there is no such service account',
    revoked: 'the API key has been revoked',
    limits: {
      resource: ' in the workspace of the API key',
      workspace: 'the API key is not for a workspace of this name',
    },
  },
  group: {
    name: (id) => ({ subject: nameGroup(id) }),
    nameListed: nameGroup,
    unnamed: { rule: 'user_unknown', cause: 'the ID of a group is a UUID' },
    describeUnknown: () => 'there is no such group',
  },
  link: {
    name: nameLink,
    // Administrators do not have the token of a link.
    nameListed: (id) => (isUuid(id) ? { linkId: id } : undefined),
    title: 'Anyone with the link',
    unnamed: { rule: 'link_unknown', cause: 'the link is not valid' },
    describeUnknown: () => 'the link is not valid',
  },
  delegation: {
    name: (id) => ({ subject: nameDelegation(id) }),
    nameListed: nameDelegation,
    unnamed: { rule: 'user_unknown', cause: unknownDelegation },
    describeUnknown: () => unknownDelegation,
  },
  anonymous: {
    name: () => ({ subject: { isAnonymous: true } }),
    nameListed: () => ({ isAnonymous: true }),
    title: 'An anonymous visitor',
    unnamed: null,
    describeUnknown: (action, resourceType) =>
      action === 'view'
        ? `the ${resourceType} is not public`
        : 'people who are not signed in may view only public resources',
  },
}

export function findSubjectType(type: string): SubjectType | undefined {
  return Object.hasOwn(subjectTypes, type) ? subjectTypes[type] : undefined
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

function nameGroup(id: string): Subject | undefined {
  return isUuid(id) ? { groupId: id } : undefined
}

function nameDelegation(id: string): Subject | undefined {
  return isUuid(id) ? { delegationId: id } : undefined
}

async function nameLink(token: string, { findLink }: SubjectNames): Promise<NamedSubject> {
  const linkId = await findLink(token)
  return { subject: linkId === undefined ? undefined : { linkId } }
}

/** Returns the service account of an API key. Whether the key has ended is checked with the facts. */
async function nameKeyOwner(key: string, { findApiKey }: SubjectNames): Promise<NamedSubject> {
  const owner = await findApiKey(key, new Date())
  if (!owner) return {}
  const { userId, keyId, workspaceId } = owner
  return { subject: { userId, tokenId: keyId, workspaceId } }
}

/**
 * Returns the user of an access token, or why the token is not valid. Whether it has been revoked is
 * checked with the other facts.
 */
async function nameTokenUser(
  token: string,
  { verifyAccessToken }: SubjectNames,
): Promise<NamedSubject> {
  try {
    const { sub, jti, wid, forService, delegation } = await verifyAccessToken(token)
    const subject = { userId: sub, tokenId: jti, workspaceId: wid, delegationId: delegation?.id }
    return { subject, forService }
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'unauthenticated') return { error }
    throw error
  }
}
