import type { Subject } from '../argument-types.ts'
import { isApiKey, nameSubject } from '../arguments.ts'
import type { Role } from '../gen/core/roles.ts'
import type { AccessTokenClaims } from '../results.ts'
import { type FakeDelegation, type FakeState, findMember, findRole, findUser } from './state.ts'
import { readFakeToken } from './tokens.ts'

/** A subject of decisions. */
export type FakeSubject = {
  kind: 'user' | 'group' | 'link' | 'anonymous'
  /** The ID of the user, group or link. */
  id: string
  email: string
  externalId: string
  /** Whether the user, group or link exists, and the token is valid. */
  isKnown: boolean
  isActive: boolean
  /** Whether the subject may view what is public. */
  mayViewPublic: boolean
  /** The workspace of the token, to which decisions are restricted. */
  workspaceId?: string | undefined
  /** The workspace of a group or link. */
  home?: string | undefined
  /** The delegation by which an agent acts for the user. */
  delegation?: FakeDelegation | undefined
}

const unknown = {
  kind: 'user',
  id: '',
  email: '',
  externalId: '',
  isKnown: false,
  isActive: true,
  mayViewPublic: false,
} as const satisfies FakeSubject

/**
 * Finds whom a subject names.
 *
 * @throws InvalidArgumentError, InvalidTokenError
 */
export function findSubject(
  state: FakeState,
  subject: Subject,
  isRevoked: (token: string) => boolean,
): FakeSubject {
  const { type, id } = nameSubject(subject)
  if (type === 'anonymous') return { ...unknown, kind: 'anonymous', mayViewPublic: true }
  if (type === 'link') return findLink(state, id)
  // A fake has no API keys.
  if (type === 'api_key' || isApiKey(id)) return unknown
  if (type === 'access_token') {
    const claims = readFakeToken(id)
    return isRevoked(id) ? unknown : tokenSubject(state, claims)
  }
  // A service knows only the delegations for itself.
  if (type === 'delegation')
    return state.delegations.get(id)?.service === state.service
      ? delegationSubject(state, id)
      : unknown
  if (type === 'group') return groupSubject(state, id)
  const user = findUser(state, id)
  return user ? userSubject(state, user.id) : { ...unknown, mayViewPublic: true }
}

/**
 * Returns the role of a subject in a workspace, or undefined if it has none. A group or link counts as
 * a viewer of its own.
 */
export function findRoleOf(
  state: FakeState,
  { kind, id, home }: FakeSubject,
  workspaceId: string,
): Role | undefined {
  if (kind === 'user') return findRole(state, workspaceId, id)
  return home === workspaceId ? 'viewer' : undefined
}

/**
 * Whether the visibility `workspace` is nothing to a subject: to guests, and to a group that has an
 * active guest among its effective members.
 */
export function hasGuest(
  state: FakeState,
  { kind, id }: FakeSubject,
  workspaceId: string,
): boolean {
  const isGuest = (userId: string) => findMember(state, workspaceId, userId)?.isGuest ?? false
  if (kind === 'user') return isGuest(id)
  if (kind !== 'group') return false
  const groupIds = new Set([id])
  // The loop also visits groups that it adds.
  for (const groupId of groupIds) {
    const { members, groups } = state.groups.get(groupId) ?? { members: [], groups: [] }
    for (const userId of members)
      if (isGuest(userId) && state.users.get(userId)?.isActive) return true
    for (const child of groups) groupIds.add(child)
  }
  return false
}

/** Returns a user as a subject, with the workspace of their token. */
export function userSubject(state: FakeState, userId: string, workspaceId?: string): FakeSubject {
  const user = state.users.get(userId)
  if (!user) return unknown
  return { ...user, kind: 'user', isKnown: true, mayViewPublic: user.isActive, workspaceId }
}

/** Returns a group as a subject. */
export function groupSubject({ groups }: FakeState, id: string): FakeSubject {
  const group = groups.get(id)
  if (!group) return { ...unknown, kind: 'group', id }
  const found = { ...unknown, kind: 'group', id, home: group.workspaceId } as const
  return { ...found, isKnown: true, mayViewPublic: true }
}

/** Returns whom an access token names. */
export function tokenSubject(
  state: FakeState,
  { sub, wid, delegation_id }: AccessTokenClaims,
): FakeSubject {
  return delegation_id === undefined
    ? userSubject(state, sub, wid)
    : delegationSubject(state, delegation_id)
}

/** Returns the user of a delegation as a subject, in the workspace of the delegation. */
function delegationSubject(state: FakeState, id: string): FakeSubject {
  const delegation = state.delegations.get(id)
  if (!delegation) return unknown
  const { userId, workspaceId } = delegation
  return { ...userSubject(state, userId, workspaceId), delegation }
}

function findLink(state: FakeState, token: string): FakeSubject {
  for (const { workspaceId, links } of state.resources.values())
    for (const { id, token: known, expiresAt } of links) {
      const isLive = expiresAt === undefined || expiresAt.getTime() > Date.now()
      if (known !== token || !isLive) continue
      const found = { ...unknown, kind: 'link', id, home: workspaceId } as const
      return { ...found, isKnown: true, mayViewPublic: true }
    }
  return { ...unknown, kind: 'link' }
}
