import { randomUUID } from 'node:crypto'
import { type Actor, userIdOf } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { noExpiry } from '../core/expiry.ts'
import { newId } from '../core/new-id.ts'
import type { OnProgress } from '../core/on-progress.ts'
import type { RolloutStore } from '../database/rollout-store.ts'
import { recordStandings, requireGuestSupport, type Standing } from '../workspaces/guests.ts'
import type { GroupHierarchyStore } from '../workspaces/store/group-hierarchy-store.ts'
import type { MemberStore } from '../workspaces/store/member-store.ts'
import type { WorkspaceStore } from '../workspaces/store/workspace-store.ts'
import type { Effects, Plan } from './plan.ts'
import { keyOf } from './plan-input.ts'
import type { Ids } from './snapshot.ts'
import type { ImportStore } from './store/import-store.ts'

/** The maximum number of items that one statement writes. */
const batchSize = 2000

/** The maximum number of members that one activity entry lists, so that the log stays readable. */
const maxMembersPerEntry = 100

export type ApplyPlanStores = {
  activity: ActivityStore
  groupHierarchy: GroupHierarchyStore
  imports: ImportStore
  members: MemberStore
  rollout: RolloutStore
  workspaces: WorkspaceStore
}

/** Dependencies of every write. */
type Context = { tx: ApplyPlanStores; actor: Actor; ids: Ids }

/** The writes of one kind, split into batches. */
type Step = { size: number; batches: { size: number; write: () => Promise<void> }[] }

/** Writes a plan that has no errors and records it in the activity log. Requires a transaction. */
export async function applyPlan(
  tx: ApplyPlanStores,
  actor: Actor,
  { plan, ids, onProgress }: { plan: Plan; ids: Ids; onProgress: OnProgress },
): Promise<void> {
  const { effects, counts } = plan
  const context = { tx, actor, ids }
  const steps = [
    createStep(effects.newWorkspaces.toSorted(), (batch) => insertWorkspaces(context, batch)),
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
  await tx.groupHierarchy.lockIfNested(existingGroupIds(effects, ids))
  let done = 0
  for (const { size, write } of steps.flatMap(({ batches }) => batches)) {
    onProgress('Writing', done, total)
    await write()
    done += size
  }
  if (total >= batchSize) await tx.imports.analyze()
  const { create, update, unchanged, error } = counts
  const detail = {
    rows: String(create + update + unchanged + error),
    created: String(create),
    updated: String(update),
  }
  await tx.activity.record(actor, { action: 'import.executed', targetId: newId(), detail })
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
async function insertUsers({ tx, ids }: Context, batch: [string, string][]): Promise<void> {
  const users = batch.map(([email, name]) => ({ id: randomUUID(), email, name }))
  for (const { id, email } of users) ids.users.set(email, id)
  for (const { id, email } of await tx.imports.insertUsers(users)) ids.users.set(email, id)
}

async function renameUsers(
  { tx, actor, ids }: Context,
  batch: [string, { from: string; to: string }][],
): Promise<void> {
  const users = batch.map(([email, { from, to }]) => ({
    id: requireId(ids.users, email),
    from,
    to,
  }))
  await tx.imports.renameUsers(users.map(({ id, to }) => ({ id, name: to })))
  const events = users.map(({ id, from, to }) => ({
    action: 'user.renamed' as const,
    targetId: id,
    detail: { from, to },
  }))
  await tx.activity.record(actor, ...events)
}

async function changeExternalIds(
  { tx, actor, ids }: Context,
  batch: [string, { to: string }][],
): Promise<void> {
  const users = batch.map(([email, { to }]) => ({
    id: requireId(ids.users, email),
    email,
    externalId: to,
  }))
  await tx.imports.updateExternalIds(users)
  const events = users.map(({ id, email }) => ({
    action: 'user.updated' as const,
    targetId: id,
    detail: { email },
  }))
  await tx.activity.record(actor, ...events)
}

/** Inserts workspaces, which are named like their slugs. */
async function insertWorkspaces({ tx, actor, ids }: Context, slugs: string[]): Promise<void> {
  const workspaces = slugs.map((slug) => ({ id: newId(), slug, name: slug }))
  for (const workspace of workspaces) {
    await tx.workspaces.insert(workspace)
    ids.workspaces.set(workspace.slug, workspace.id)
  }
  const events = workspaces.map(({ id, slug }) => ({
    action: 'workspace.created' as const,
    targetId: id,
    workspaceId: id,
    detail: { slug },
  }))
  await tx.activity.record(actor, ...events)
}

type Membership = { slug: string; email: string }

async function insertMembers(
  { tx, actor, ids }: Context,
  batch: (Membership & Standing)[],
): Promise<void> {
  const members = withIds(ids, batch)
  if (members.some(({ isGuest }) => isGuest)) await requireGuestSupport(tx.rollout)
  await tx.members.inviteAll(members, userIdOf(actor))
  const events = members.map(({ userId, workspaceId, email, role, isGuest }) => ({
    action: 'member.invited' as const,
    targetId: userId,
    workspaceId,
    detail: { email, role, expires_at: noExpiry, guest: String(isGuest) },
  }))
  await tx.activity.record(actor, ...events)
}

async function changeRoles(
  { tx, actor, ids }: Context,
  batch: (Membership & { from: Standing; to: Standing })[],
): Promise<void> {
  const members = withIds(ids, batch)
  if (members.some(({ from, to }) => to.isGuest && !from.isGuest))
    await requireGuestSupport(tx.rollout)
  await tx.members.changeRoles(
    members.map(({ userId, workspaceId, to }) => ({ userId, workspaceId, ...to })),
  )
  const changes = members.map(({ from, to, userId, workspaceId }) => ({
    before: { userId, workspaceId, ...from },
    after: to,
  }))
  await recordStandings(tx.activity, actor, ...changes)
}

async function insertGroups(
  { tx, actor, ids }: Context,
  batch: { slug: string; name: string }[],
): Promise<void> {
  const groups = batch.map(({ slug, name }) => ({
    id: newId(),
    workspaceId: requireId(ids.workspaces, slug),
    slug,
    name,
  }))
  const slugs = new Map(groups.map(({ workspaceId, slug }) => [workspaceId, slug]))
  const inserted = await tx.imports.insertGroups(groups, userIdOf(actor))
  for (const { id, workspaceId, name } of inserted) {
    ids.groups.set(keyOf(slugs.get(workspaceId) ?? '', name), id)
  }
  const events = inserted
    .filter(({ isNew }) => isNew)
    .map(({ id, workspaceId, name }) => ({
      action: 'group.created' as const,
      targetId: id,
      workspaceId,
      detail: { name },
    }))
  await tx.activity.record(actor, ...events)
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
  { tx, actor, ids }: Context,
  batch: (Membership & { name: string })[],
): Promise<void> {
  const members = withIds(ids, batch).map((member) => ({
    ...member,
    groupId: requireId(ids.groups, keyOf(member.slug, member.name)),
  }))
  await tx.groupHierarchy.addMembers(members)
  const byGroup = Map.groupBy(members, ({ groupId }) => groupId)
  const events = [...byGroup].flatMap(([groupId, groupMembers]) =>
    splitIntoBatches(groupMembers, maxMembersPerEntry).map((listed) => ({
      action: 'group.members_added' as const,
      targetId: groupId,
      workspaceId: listed[0].workspaceId,
      detail: { name: listed[0].name, user_ids: listed.map(({ userId }) => userId).join(' ') },
    })),
  )
  await tx.activity.record(actor, ...events)
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
