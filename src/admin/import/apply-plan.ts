import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { v7 as uuid } from 'uuid'
import { type Actor, recordActivityBatch } from '../../activity/record-activity.ts'
import { addManyDirectMembers } from '../../workspaces/group-hierarchy.ts'
import { lockHierarchyIfNested } from '../../workspaces/group-queries.ts'
import { type Effects, keyOf, type Plan } from './plan.ts'
import * as queries from './queries.ts'
import type { OnProgress } from './report.ts'
import type { Ids } from './snapshot.ts'

/** The maximum number of items that one statement writes. */
const batchSize = 2000

/** The maximum number of members that one activity entry lists, so that the log stays readable. */
const maxMembersPerEntry = 100

/** Dependencies of every write. */
type Context = { em: EntityManager; actor: Actor; ids: Ids }

/** The writes of one kind, split into batches. */
type Step = { size: number; batches: { size: number; write: () => Promise<void> }[] }

/** Writes a plan that has no errors and records it in the activity log. Requires a transaction. */
export async function applyPlan(
  em: EntityManager,
  actor: Actor,
  { plan, ids, onProgress }: { plan: Plan; ids: Ids; onProgress: OnProgress },
): Promise<void> {
  const { effects, counts } = plan
  const context = { em, actor, ids }
  const steps = [
    // Sorted, so that concurrent transactions that create the same users do not deadlock.
    createStep([...effects.newUsers].toSorted(byEmail), (batch) => insertUsers(context, batch)),
    createStep([...effects.renamed], (batch) => renameUsers(context, batch)),
    createStep([...effects.externalIds], (batch) => changeExternalIds(context, batch)),
    createStep([...effects.newMembers.values()], (batch) => insertMembers(context, batch)),
    createStep([...effects.roleChanges.values()], (batch) => changeRoles(context, batch)),
    createStep(effects.newGroups, (batch) => insertGroups(context, batch)),
    createStep(groupMembersOf(effects), (batch) => insertGroupMembers(context, batch)),
  ]
  const total = steps.reduce((sum, { size }) => sum + size, 0)
  if (total === 0) return
  await lockHierarchyIfNested(em, existingGroupIds(effects, ids))
  let done = 0
  for (const { size, write } of steps.flatMap(({ batches }) => batches)) {
    onProgress('Writing', done, total)
    await write()
    done += size
  }
  const { create, update, unchanged, error } = counts
  const detail = {
    rows: String(create + update + unchanged + error),
    created: String(create),
    updated: String(update),
  }
  await recordActivityBatch(em, actor, 'import.executed', [{ targetId: uuid(), detail }])
}

function createStep<Item>(items: Item[], write: (batch: Item[]) => Promise<void>): Step {
  const batches = splitIntoBatches(items, batchSize)
  return {
    size: items.length,
    batches: batches.map((batch) => ({ size: batch.length, write: () => write(batch) })),
  }
}

function splitIntoBatches<Item>(items: Item[], size: number): [Item, ...Item[]][] {
  const count = Math.ceil(items.length / size)
  return Array.from(
    { length: count },
    (_, index) => items.slice(index * size, (index + 1) * size) as [Item, ...Item[]],
  )
}

function byEmail([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1
}

/**
 * Inserts users. They have no linked account until they sign in. Their IDs are random, because a
 * version 7 UUID would reveal when the user was created.
 */
async function insertUsers({ em, ids }: Context, batch: [string, string][]): Promise<void> {
  const users = batch.map(([email, name]) => ({ id: randomUUID(), email, name }))
  for (const { id, email } of users) ids.users.set(email, id)
  for (const { id, email } of await queries.insertUsers(em, users)) ids.users.set(email, id)
}

async function renameUsers(
  { em, actor, ids }: Context,
  batch: [string, { from: string; to: string }][],
): Promise<void> {
  const users = batch.map(([email, { from, to }]) => ({
    id: requireId(ids.users, email),
    from,
    to,
  }))
  await queries.updateUserNames(
    em,
    users.map(({ id, to }) => ({ id, name: to })),
  )
  const events = users.map(({ id, from, to }) => ({ targetId: id, detail: { from, to } }))
  await recordActivityBatch(em, actor, 'user.renamed', events)
}

async function changeExternalIds(
  { em, actor, ids }: Context,
  batch: [string, { to: string }][],
): Promise<void> {
  const users = batch.map(([email, { to }]) => ({
    id: requireId(ids.users, email),
    email,
    externalId: to,
  }))
  await queries.updateExternalIds(em, users)
  const events = users.map(({ id, email }) => ({ targetId: id, detail: { email } }))
  await recordActivityBatch(em, actor, 'user.updated', events)
}

type Membership = { slug: string; email: string }

async function insertMembers(
  { em, actor, ids }: Context,
  batch: (Membership & { role: string })[],
): Promise<void> {
  const members = withIds(ids, batch)
  await queries.insertMembers(em, members)
  const events = members.map(({ userId, workspaceId, email, role }) => ({
    targetId: userId,
    workspaceId,
    detail: { email, role },
  }))
  await recordActivityBatch(em, actor, 'member.invited', events)
}

async function changeRoles(
  { em, actor, ids }: Context,
  batch: (Membership & { from: string; to: string })[],
): Promise<void> {
  const members = withIds(ids, batch)
  await queries.updateMemberRoles(
    em,
    members.map(({ userId, workspaceId, to }) => ({ userId, workspaceId, role: to })),
  )
  const events = members.map(({ userId, workspaceId, from, to }) => ({
    targetId: userId,
    workspaceId,
    detail: { from, to },
  }))
  await recordActivityBatch(em, actor, 'member.role_changed', events)
}

async function insertGroups(
  { em, actor, ids }: Context,
  batch: { slug: string; name: string }[],
): Promise<void> {
  const groups = batch.map(({ slug, name }) => ({
    id: uuid(),
    workspaceId: requireId(ids.workspaces, slug),
    slug,
    name,
  }))
  const slugs = new Map(groups.map(({ workspaceId, slug }) => [workspaceId, slug]))
  const rows = await queries.insertGroups(em, groups, actor.actorId)
  for (const { id, workspace_id, name } of rows) {
    ids.groups.set(keyOf(slugs.get(workspace_id) ?? '', name), id)
  }
  const events = rows
    .filter(({ is_new }) => is_new)
    .map(({ id, workspace_id, name }) => ({
      targetId: id,
      workspaceId: workspace_id,
      detail: { name },
    }))
  await recordActivityBatch(em, actor, 'group.created', events)
}

/** Returns the new group members, ordered by group. */
function groupMembersOf({ newGroupMembers }: Effects): (Membership & { name: string })[] {
  return [...newGroupMembers.values()].flatMap(({ slug, name, emails }) =>
    emails.map((email) => ({ slug, name, email })),
  )
}

/**
 * Returns the existing groups that gain members. Their hierarchies must be locked before the first
 * write: a transaction that holds a hierarchy lock may wait for a row that the import has written.
 */
function existingGroupIds({ newGroupMembers }: Effects, ids: Ids): string[] {
  return [...newGroupMembers.values()].flatMap(
    ({ slug, name }) => ids.groups.get(keyOf(slug, name)) ?? [],
  )
}

async function insertGroupMembers(
  { em, actor, ids }: Context,
  batch: (Membership & { name: string })[],
): Promise<void> {
  const members = withIds(ids, batch).map((member) => ({
    ...member,
    groupId: requireId(ids.groups, keyOf(member.slug, member.name)),
  }))
  await addManyDirectMembers(em, members)
  const byGroup = Map.groupBy(members, ({ groupId }) => groupId)
  const events = [...byGroup].flatMap(([groupId, groupMembers]) =>
    splitIntoBatches(groupMembers, maxMembersPerEntry).map((listed) => ({
      targetId: groupId,
      workspaceId: listed[0].workspaceId,
      detail: { name: listed[0].name, user_ids: listed.map(({ userId }) => userId).join(' ') },
    })),
  )
  await recordActivityBatch(em, actor, 'group.members_added', events)
}

function withIds<Item extends Membership>(
  ids: Ids,
  items: Item[],
): (Item & { userId: string; workspaceId: string })[] {
  return items.map((item) => ({
    ...item,
    userId: requireId(ids.users, item.email),
    workspaceId: requireId(ids.workspaces, item.slug),
  }))
}

function requireId(ids: Map<string, string>, key: string): string {
  const id = ids.get(key)
  if (!id) throw new Error(`the plan refers to a missing row: ${key}`)
  return id
}
