import { keyOf, type Row, type Snapshot } from './plan-input.ts'
import type { ImportStore } from './store/import-store.ts'

/**
 * The recommended number of rows per call of `extendSnapshot`. With larger batches, PostgreSQL
 * scans whole tables less often.
 */
export const snapshotBatchSize = 5000

/** Database IDs. `applyPlan` adds the IDs of the rows it inserts. */
export type Ids = {
  /** By e-mail address. */
  users: Map<string, string>
  /** By slug. */
  workspaces: Map<string, string>
  /** By `keyOf(slug, name)`. */
  groups: Map<string, string>
}

/** A snapshot and the IDs of the objects in it. */
export type LoadedSnapshot = { snapshot: Snapshot; ids: Ids }

/**
 * Locks the workspaces of the rows until the end of the transaction, and returns their IDs. Imports
 * run one after the other, so they cannot deadlock on each other's rows.
 */
export async function lockForImport(imports: ImportStore, rows: Row[]): Promise<string[]> {
  await imports.lock()
  return imports.lockWorkspaces(slugsOf(rows))
}

/** Loads the workspaces of the rows and their quota usage. `extendSnapshot` loads the rest. */
export async function loadSnapshot(imports: ImportStore, rows: Row[]): Promise<LoadedSnapshot> {
  const ids: Ids = { users: new Map(), workspaces: new Map(), groups: new Map() }
  const snapshot: Snapshot = {
    workspaces: new Map(),
    usage: new Map(),
    users: new Map(),
    externalIds: new Map(),
    identifiedUsers: new Map(),
    members: new Map(),
    groups: new Map(),
  }
  for (const { id, slug, owners } of await imports.findWorkspaces(slugsOf(rows))) {
    ids.workspaces.set(slug, id)
    snapshot.workspaces.set(slug, owners)
  }
  const slugs = new Map([...ids.workspaces].map(([slug, id]) => [id, slug]))
  for (const { workspaceId, ...usage } of await imports.findUsage([...slugs.keys()])) {
    snapshot.usage.set(slugs.get(workspaceId) ?? '', usage)
  }
  return { snapshot, ids }
}

function slugsOf(rows: Row[]): string[] {
  return [...new Set(rows.filter(({ errors }) => errors.length === 0).map(({ slug }) => slug))]
}

/**
 * Adds the users, members and groups of the rows, without overwriting changes that earlier rows
 * made to the snapshot.
 */
export async function extendSnapshot(
  imports: ImportStore,
  batch: Row[],
  { snapshot, ids }: LoadedSnapshot,
): Promise<void> {
  const rows = batch.filter(({ errors }) => errors.length === 0)
  if (rows.length === 0) return
  const slugs = new Map([...ids.workspaces].map(([slug, id]) => [id, slug]))
  const emails = new Map<string, string>()
  const found = await imports.findUsers(unique(rows.map(({ email }) => email)))
  for (const { id, email, name, externalId } of found) {
    emails.set(id, email)
    ids.users.set(email, id)
    if (!snapshot.users.has(email)) snapshot.users.set(email, name)
    if (!snapshot.externalIds.has(email)) snapshot.externalIds.set(email, externalId ?? '')
  }
  const externalIds = unique(rows.map(({ externalId }) => externalId).filter(Boolean))
  if (externalIds.length > 0) {
    for (const { externalId, email } of await imports.findIdentifiedUsers(externalIds))
      snapshot.identifiedUsers.set(externalId, email)
  }
  const userIds = [...emails.keys()]

  for (const { userId, workspaceId, ...member } of await imports.findMembers(userIds)) {
    const slug = slugs.get(workspaceId)
    const key = keyOf(slug ?? '', emails.get(userId) ?? '')
    if (slug && !snapshot.members.has(key)) snapshot.members.set(key, member)
  }

  const names = unique(rows.flatMap(({ groups }) => groups))
  if (names.length === 0) return
  const groups = await imports.findGroups([...ids.workspaces.values()], names)
  const keys = new Map<string, string>()
  for (const { id, workspaceId, name } of groups) {
    const key = keyOf(slugs.get(workspaceId) ?? '', name)
    keys.set(id, key)
    ids.groups.set(key, id)
    if (!snapshot.groups.has(key)) snapshot.groups.set(key, new Set())
  }
  for (const { groupId, userId } of await imports.findGroupMembers(userIds)) {
    const key = keys.get(groupId)
    if (key) snapshot.groups.get(key)?.add(emails.get(userId) ?? '')
  }
}

function unique(texts: string[]): string[] {
  return [...new Set(texts)]
}
