import { isDeepStrictEqual } from 'node:util'
import type {
  ScimChangeRequest,
  ScimCreateRequest,
  ScimDeleteRequest,
  ScimGetRequest,
  ScimListRequest,
  ScimResource,
} from '../../gen/daikon/v1/scim.ts'
import { actorOf } from '../activity/actor.ts'
import type { ActivityEvent } from '../activity/store/entries-sql.ts'
import { normalizeEmail } from '../core/email.ts'
import { createEntityTag, requireMatch } from '../core/entity-tag.ts'
import { ServiceError } from '../core/errors.ts'
import type { QuotaContext } from '../core/quotas.ts'
import type { RequestContext, Transactional } from '../core/request-context.ts'
import { forEachInTurns } from '../core/turns.ts'
import { isUuid } from '../core/uuid.ts'
import type { UserStore } from '../identity/store/user-store.ts'
import { lockWorkspace } from '../workspaces/member-rules.ts'
import type { MemberId } from '../workspaces/store/member-store.ts'
import { ensureUserOf, moveAddress, requireConnection } from './addresses.ts'
import { externalId, userSchema, userSchemas } from './attributes.ts'
import {
  deprovision,
  type MembershipStores,
  provision,
  type ScimTransaction,
  updateRole,
} from './membership.ts'
import { applyPatch, readPatch } from './patch.ts'
import { reasons } from './reasons.ts'
import { type Attributes, readResource } from './resource.ts'
import {
  type BaseUrl,
  listResponse,
  type Presented,
  readFilter,
  readPage,
  scimUrl,
  toJson,
  toReferences,
  toResponse,
} from './response.ts'
import { invalidValue, scimNotFound } from './scim-errors.ts'
import { needs, type SelectionRequest, selectAttributes } from './selection.ts'
import { guestRole, roleValues } from './standing.ts'
import type { ScimUser, ScimUserGroup, ScimUserStore } from './store/scim-user-store.ts'

type ReadContext = RequestContext<{ scimUsers: ScimUserStore }> & BaseUrl

type WriteUserContext = RequestContext<MembershipStores & { users: UserStore }> &
  QuotaContext &
  BaseUrl

/** What a request says about a person. `isActive` is undefined if it says nothing about that. */
type Described = {
  email: string
  externalId: string | null
  isActive: boolean | undefined
  attributes: Attributes
}

/** The maximum number of groups that the people of one response have together. */
export const maxListedGroups = 5000

/**
 * Lists the people whom the directory has provisioned, by ID. A page ends before the person whose
 * groups would exceed `maxListedGroups`.
 */
export async function listScimUsers(
  { stores, baseUrl }: ReadContext,
  request: ScimListRequest,
): Promise<ScimResource> {
  const { startIndex, ...page } = readPage(request)
  const filter = readFilter(request)
  const { items, total } = await stores.scimUsers.list(request.workspace_id, filter, page)
  const count = await countReturned(stores.scimUsers, items, request)
  const users: Attributes[] = []
  const presented = await presentAll(stores.scimUsers, items.slice(0, count), baseUrl, request)
  await forEachInTurns(presented, (user) => {
    users.push(selectAttributes(toJson(user), request, userSchemas))
  })
  return { resource: listResponse(users, total, startIndex) }
}

/** Returns a person. */
export async function getScimUser(
  { stores, baseUrl }: ReadContext,
  request: ScimGetRequest,
): Promise<ScimResource> {
  const user = await requireUser(stores.scimUsers, idOf(request))
  await countReturned(stores.scimUsers, [user], request)
  const [presented] = await presentAll(stores.scimUsers, [user], baseUrl, request)
  return toResponse(presented as Presented, userSchemas, request)
}

/** Provisions a person, who becomes a member unless `active` is false. */
export async function createScimUser(
  context: WriteUserContext,
  { workspace_id, resource }: ScimCreateRequest,
): Promise<ScimResource> {
  const described = readDescription(readResource(resource ?? {}, userSchemas, [externalId]))
  const { email, isActive = true, attributes } = described
  return inWorkspace(context, workspace_id, async (change, workspaceId) => {
    const { tx, principal, now } = change
    const connection = await requireConnection(tx, workspaceId, email)
    const userId = await ensureUserOf(tx, workspaceId, email)
    if (userId === undefined) throw new ServiceError(reasons.ADDRESS_USED_ELSEWHERE)
    const id = { workspaceId, userId }
    const existing = await tx.scimUsers.lock(id)
    if (existing && !existing.isDeleted) throw alreadyProvisioned()
    if (await tx.scimUsers.isTaken(id, email)) throw alreadyProvisioned()
    await tx.scimUsers.insert(id, { ...described, userName: email, isActive }, now)
    if (isActive) await provision(change, id, connection, email, attributes)
    else {
      await deprovision(change, id)
      await tx.activity.record(actorOf(principal), createEvent('scim.user_updated', id, email))
    }
    return respond(tx, id, context.baseUrl)
  })
}

/** Replaces the attributes of a person. Without `active`, the membership remains as it is. */
export async function replaceScimUser(
  context: WriteUserContext,
  request: ScimChangeRequest,
): Promise<ScimResource> {
  const described = readDescription(readResource(request.resource ?? {}, userSchemas, [externalId]))
  return changeUser(context, request, () => described)
}

/** Changes attributes of a person. */
export async function patchScimUser(
  context: WriteUserContext,
  request: ScimChangeRequest,
): Promise<ScimResource> {
  const operations = readPatch(request.resource ?? {}, userSchemas, [externalId])
  return changeUser(context, request, ({ attributes, externalId }) =>
    readDescription(
      applyPatch({ ...attributes, ...(externalId && { externalId }) }, operations, userSchemas),
    ),
  )
}

/** Ends the membership of a person, and forgets what the directory has said about them. */
export async function deleteScimUser(
  context: WriteUserContext,
  request: ScimDeleteRequest,
): Promise<ScimResource> {
  return inWorkspace(context, request.workspace_id, async (change) => {
    const { tx, principal, now } = change
    const user = await lockUser(tx, request)
    await deprovision(change, user)
    await tx.scimUsers.delete(user, now)
    const event = createEvent('scim.user_deleted', user, user.userName)
    await tx.activity.record(actorOf(principal), event)
    return {}
  })
}

/** Changes a person to what `describeAfter` returns. */
async function changeUser(
  context: WriteUserContext,
  request: ScimChangeRequest,
  describeAfter: (before: ScimUser) => Described,
): Promise<ScimResource> {
  return inWorkspace(context, request.workspace_id, async (change) => {
    const { tx, principal, now } = change
    const before = await lockUser(tx, request)
    const described = describeAfter(before)
    const { email, externalId, attributes, isActive = before.isActive } = described
    if (email !== before.userName) {
      await requireConnection(tx, before.workspaceId, email)
      if (await tx.scimUsers.isTaken(before, email)) throw alreadyProvisioned()
    }
    const isSame =
      externalId === before.externalId && isDeepStrictEqual(attributes, before.attributes)
    if (!isSame || isActive !== before.isActive)
      await tx.scimUsers.update(before, { attributes, externalId, userName: email, isActive }, now)
    if (email !== before.userName) await moveAddress(tx, before, email)
    if (!isSame)
      await tx.activity.record(actorOf(principal), createEvent('scim.user_updated', before, email))
    await changeMembership(change, before, described)
    return respond(tx, before, context.baseUrl)
  })
}

async function changeMembership(
  change: ScimTransaction,
  before: ScimUser,
  { email, isActive, attributes }: Described,
): Promise<void> {
  if (isActive === false) return deprovision(change, before)
  if (isActive && !before.isMember) {
    const connection = await requireConnection(change.tx, before.workspaceId, email)
    return provision(change, before, connection, email, attributes)
  }
  if (isDeepStrictEqual(roleValues(attributes), roleValues(before.attributes))) return
  await updateRole(change, before, email, attributes)
}

/** Runs a change in a transaction that has locked the workspace. */
function inWorkspace(
  { stores, principal, quotas, now }: WriteUserContext,
  id: string,
  work: (
    change: ScimTransaction & { tx: MembershipStores & { users: UserStore } },
    workspaceId: string,
  ) => Promise<ScimResource>,
): Promise<ScimResource> {
  return stores.transaction(async (tx: Transactional<MembershipStores & { users: UserStore }>) => {
    const workspaceId = await lockWorkspace(tx.workspaces, id)
    return work({ tx, principal, quotas, now }, workspaceId)
  })
}

/** Returns a person after a change, without their groups if these are too many for a response. */
async function respond(
  { scimUsers }: { scimUsers: ScimUserStore },
  id: MemberId,
  baseUrl: string,
): Promise<ScimResource> {
  const user = await requireUser(scimUsers, id)
  const count = await scimUsers.countFitting(id.workspaceId, [id.userId], maxListedGroups)
  const selection = count === 0 ? { excludedAttributes: 'groups' } : {}
  const [presented] = await presentAll(scimUsers, [user], baseUrl, selection)
  return toResponse(presented as Presented, userSchemas)
}

async function lockUser(
  { scimUsers }: { scimUsers: ScimUserStore },
  request: Pick<ScimDeleteRequest, 'workspace_id' | 'id' | 'if_match'>,
): Promise<ScimUser> {
  const id = idOf(request)
  await scimUsers.lock(id)
  const user = await requireUser(scimUsers, id)
  requireMatch(request.if_match, versionOf(user))
  return user
}

async function requireUser(scimUsers: ScimUserStore, id: MemberId): Promise<ScimUser> {
  const user = await scimUsers.find(id)
  if (!user) throw scimNotFound('User')
  return user
}

function idOf({ workspace_id, id }: { workspace_id: string; id: string }): MemberId {
  if (!isUuid(id)) throw scimNotFound('User')
  return { workspaceId: workspace_id, userId: id }
}

/** Reads what a daikon user is made of from the attributes that a directory has sent. */
function readDescription({ externalId, active, ...attributes }: Attributes): Described {
  const { userName } = attributes
  if (userName === undefined) throw invalidValue('userName', 'is required')
  const email = normalizeEmail(userName as string)
  if (email === undefined) throw invalidValue('userName', 'must be an e-mail address')
  return {
    email,
    externalId: (externalId as string | undefined) ?? null,
    isActive: active as boolean | undefined,
    attributes,
  }
}

/**
 * Returns how many of the people of a workspace fit into a response. Throws if the first one is in
 * too many groups for it.
 */
async function countReturned(
  scimUsers: ScimUserStore,
  users: ScimUser[],
  selection: SelectionRequest,
): Promise<number> {
  const [first] = users
  if (!first || !needs('groups', selection, userSchemas)) return users.length
  const ids = users.map(({ userId }) => userId)
  const count = await scimUsers.countFitting(first.workspaceId, ids, maxListedGroups)
  if (count > 0) return count
  const detail = `The user ${first.userId} is in more than ${maxListedGroups} groups; request it with excludedAttributes=groups`
  throw new ServiceError(reasons.TOO_MANY_GROUPS, detail)
}

/** Describes people of a workspace, with their groups if the response needs them. */
async function presentAll(
  scimUsers: ScimUserStore,
  users: ScimUser[],
  baseUrl: string,
  selection: SelectionRequest,
): Promise<Presented[]> {
  const [first] = users
  if (!first) return []
  const ids = users.map(({ userId }) => userId)
  const groups = needs('groups', selection, userSchemas)
    ? await scimUsers.listGroups(first.workspaceId, ids)
    : []
  const byUser = Map.groupBy(groups, ({ userId }) => userId)
  const presented: Presented[] = []
  await forEachInTurns(users, (user) => {
    presented.push(present(user, byUser.get(user.userId) ?? [], baseUrl))
  })
  return presented
}

function present(user: ScimUser, groups: ScimUserGroup[], baseUrl: string): Presented {
  const { workspaceId, userId, externalId, attributes, isMember, isGuest } = user
  const extensions = userSchemas.extensions.map(({ id }) => id)
  return {
    type: 'User',
    url: scimUrl(baseUrl, workspaceId, `Users/${userId}`),
    version: versionOf(user),
    createdAt: user.createdAt,
    updatedAt: user.updatedAt,
    schemas: [userSchema.id, ...extensions.filter((id) => id in attributes)],
    attributes: {
      id: userId,
      ...(externalId !== null && { externalId }),
      // What the directory says of roles remains.
      ...(isGuest && { roles: [{ value: guestRole }] }),
      ...attributes,
      active: isMember,
      ...(groups.length > 0 && {
        groups: toReferences('Groups', groups, { baseUrl, workspaceId }),
      }),
    },
  }
}

function versionOf({ userId, externalId, attributes, isMember, isGuest }: ScimUser): string {
  return createEntityTag(userId, { externalId, attributes, isMember, ...(isGuest && { isGuest }) })
}

function createEvent<Action extends 'scim.user_updated' | 'scim.user_deleted'>(
  action: Action,
  { workspaceId, userId }: MemberId,
  email: string,
): ActivityEvent<'scim.user_updated' | 'scim.user_deleted'> {
  return { action, targetId: userId, workspaceId, detail: { email } }
}

function alreadyProvisioned(): ServiceError {
  return new ServiceError(reasons.ALREADY_PROVISIONED)
}
