import type {
  GetUserRequest,
  LinkedAccount,
  Membership,
  UserDetail,
  UserPage,
  UserPageRequest,
  UserSummary,
} from '../../gen/daikon/v1/admin_users.ts'
import { createEntityTag } from '../core/entity-tag.ts'
import type { RequestContext } from '../core/request-context.ts'
import { isoTime } from '../database/sql-values.ts'
import { viewSession } from '../identity/sessions.ts'
import type { SessionStore } from '../identity/store/session-store.ts'
import { userNotFound } from '../identity/user-errors.ts'
import { listUserRoles } from '../workspaces/custom-roles.ts'
import { listUserGroups } from '../workspaces/groups.ts'
import type { GroupStore } from '../workspaces/store/group-store.ts'
import type { RoleStore } from '../workspaces/store/role-store.ts'
import type { PeopleStore, Person, PersonAccount, PersonMembership } from './store/people-store.ts'

/** The stores that `requireUserDetail` reads. */
export type UserDetailStores = {
  people: PeopleStore
  groups: GroupStore
  roles: RoleStore
  sessions: SessionStore
}

/** Lists a page of users, by e-mail address; `q` matches names and e-mail addresses. */
export async function listUsers(
  { stores }: RequestContext<{ people: PeopleStore }>,
  { page, page_size, q, is_active, is_admin, has_signed_in }: UserPageRequest,
): Promise<UserPage> {
  const filter = { q, isActive: is_active, isAdmin: is_admin, hasSignedIn: has_signed_in }
  const result = await stores.people.listPage({ page, page_size }, filter)
  return { ...result, items: result.items.map(toUserSummary) }
}

/** Returns a user with accounts, memberships, groups, custom roles and sessions. */
export async function getUser(
  { stores, now }: RequestContext<UserDetailStores>,
  { user_id }: GetUserRequest,
): Promise<UserDetail> {
  return requireUserDetail(stores, now, user_id)
}

export async function requireUserDetail(
  { people, groups, roles, sessions }: UserDetailStores,
  now: Date,
  id: string,
): Promise<UserDetail> {
  const person = await people.find(id)
  if (!person) throw userNotFound()
  return {
    ...toUserSummary(person),
    etag: createUserTag(person),
    linked_accounts: (await people.listAccounts(person.id)).map(toLinkedAccount),
    memberships: (await people.listMemberships(person.id)).map(toMembership),
    groups: await listUserGroups(groups, person.id),
    roles: await listUserRoles(roles, person.id),
    sessions: (await sessions.listUnexpired(person.id, now)).map((session) => viewSession(session)),
  }
}

/** Returns the ETag of a user. It depends on the fields that administrators can change. */
export function createUserTag({
  id,
  email,
  name,
  isActive,
  externalId,
}: Pick<Person, 'id' | 'email' | 'name' | 'isActive' | 'externalId'>): string {
  return createEntityTag(id, { email, name, isActive, externalId })
}

function toUserSummary(person: Person): UserSummary {
  return {
    id: person.id,
    email: person.email,
    name: person.name,
    avatar_url: person.avatarUrl,
    is_active: person.isActive,
    is_admin: person.isAdmin,
    ...(person.externalId !== null && { external_id: person.externalId }),
    created_at: isoTime(person.createdAt),
    ...(person.lastSignInAt && { last_sign_in_at: isoTime(person.lastSignInAt) }),
  }
}

function toLinkedAccount({ linkedAt, ...account }: PersonAccount): LinkedAccount {
  return { ...account, linked_at: isoTime(linkedAt) }
}

function toMembership(membership: PersonMembership): Membership {
  const {
    workspaceId,
    workspaceName,
    workspaceSlug,
    role,
    joinedAt,
    expiresAt,
    emailRefusal,
    isGuest,
  } = membership
  return {
    workspace_id: workspaceId,
    workspace_name: workspaceName,
    workspace_slug: workspaceSlug,
    role,
    guest: isGuest,
    ...(expiresAt !== null && { expires_at: isoTime(expiresAt) }),
    ...(emailRefusal !== null && { email_refusal: emailRefusal }),
    ...(joinedAt === null
      ? { status: 'invited' }
      : { status: 'active', joined_at: isoTime(joinedAt) }),
  }
}
