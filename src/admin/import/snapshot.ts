import type { EntityManager } from '@mikro-orm/postgresql'
import { keyOf, type Row, type Snapshot } from './plan.ts'
import {
  findGroupMembers,
  findGroups,
  findIdentifiedUsers,
  findMembers,
  findUsage,
  findUsers,
  findWorkspaces,
  lockImports,
  lockWorkspaces,
} from './queries.ts'

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
 * Locks the workspaces of the rows until the end of the transaction. Imports run one after the
 * other, so they cannot deadlock on each other's rows.
 */
export async function lockForImport(em: EntityManager, rows: Row[]): Promise<void> {
  await lockImports(em)
  await lockWorkspaces(em, slugsOf(rows))
}

/** Loads the workspaces of the rows and their quota usage. `extendSnapshot` loads the rest. */
export async function loadSnapshot(em: EntityManager, rows: Row[]): Promise<LoadedSnapshot> {
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
  for (const { id, slug, owners } of await findWorkspaces(em, slugsOf(rows))) {
    ids.workspaces.set(slug, id)
    snapshot.workspaces.set(slug, owners)
  }
  const slugs = new Map([...ids.workspaces].map(([slug, id]) => [id, slug]))
  for (const { workspace_id, ...usage } of await findUsage(em, [...slugs.keys()])) {
    snapshot.usage.set(slugs.get(workspace_id) ?? '', usage)
  }
  return { snapshot, ids }
}

function slugsOf(rows: Row[]): string[] {
  return [...new Set(rows.filter(({ errors }) => errors.length === 0).map(({ slug }) => slug))]
}

/**
 * Adds the users, members and groups of the rows, without overwriting changes that earlier rows
 * made to the snapshot. Tables are read without joins: the planner has no statistics for the rows
 * that a large import has just inserted and would choose nested loops.
 */
export async function extendSnapshot(
  em: EntityManager,
  batch: Row[],
  { snapshot, ids }: LoadedSnapshot,
): Promise<void> {
  const rows = batch.filter(({ errors, slug }) => errors.length === 0 && ids.workspaces.has(slug))
  if (rows.length === 0) return
  const slugs = new Map([...ids.workspaces].map(([slug, id]) => [id, slug]))
  const emails = new Map<string, string>()
  const found = await findUsers(em, unique(rows.map(({ email }) => email)))
  for (const { id, email, name, external_id } of found) {
    emails.set(id, email)
    ids.users.set(email, id)
    if (!snapshot.users.has(email)) snapshot.users.set(email, name)
    if (!snapshot.externalIds.has(email)) snapshot.externalIds.set(email, external_id ?? '')
  }
  const externalIds = unique(rows.map(({ externalId }) => externalId).filter(Boolean))
  if (externalIds.length > 0) {
    for (const { external_id, email } of await findIdentifiedUsers(em, externalIds))
      snapshot.identifiedUsers.set(external_id, email)
  }
  const userIds = [...emails.keys()]

  for (const { user_id, workspace_id, role, joined } of await findMembers(em, userIds)) {
    const slug = slugs.get(workspace_id)
    const key = keyOf(slug ?? '', emails.get(user_id) ?? '')
    if (slug && !snapshot.members.has(key)) snapshot.members.set(key, { role, joined })
  }

  const names = unique(rows.flatMap(({ groups }) => groups))
  if (names.length === 0) return
  const groups = await findGroups(em, [...ids.workspaces.values()], names)
  const keys = new Map<string, string>()
  for (const { id, workspace_id, name } of groups) {
    const key = keyOf(slugs.get(workspace_id) ?? '', name)
    keys.set(id, key)
    ids.groups.set(key, id)
    if (!snapshot.groups.has(key)) snapshot.groups.set(key, new Set())
  }
  for (const { group_id, user_id } of await findGroupMembers(em, userIds)) {
    const key = keys.get(group_id)
    if (key) snapshot.groups.get(key)?.add(emails.get(user_id) ?? '')
  }
}

function unique(texts: string[]): string[] {
  return [...new Set(texts)]
}
