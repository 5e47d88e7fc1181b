import type { EntityManager } from '@mikro-orm/postgresql'
import type { Role } from '../../core/roles.ts'
import { executeBound } from '../../database/bound-statement.ts'
import { arrayLiteral, textArray } from '../../database/sql-values.ts'
import { type Known, keyOf, type Row } from './plan.ts'

/** Rows that one `learn` takes: the larger it is, the rarer PostgreSQL reads a whole table for it. */
export const lesson = 5000

/** The ids of what exists; writing adds those of what it makes. */
export type Ids = {
  /** By e-mail. */
  users: Map<string, string>
  /** By slug. */
  workspaces: Map<string, string>
  /** By `keyOf(slug, name)`. */
  groups: Map<string, string>
}

/**
 * Holds the workspaces that the rows name until the end of the transaction, as `lockOwners` does
 * one, and other imports off: they wait for each other rather than for each other's rows.
 */
export async function holdWorkspaces(em: EntityManager, rows: Row[]): Promise<void> {
  await em.execute(`select pg_advisory_xact_lock(hashtext('daikon import'))`)
  await executeBound(em, {
    sql: 'select id from workspaces where slug = any($1::text[]) order by id for no key update',
    values: [textArray(slugsOf(rows))],
  })
}

/** What exists, and by which ids. */
export type World = { known: Known; ids: Ids }

/** The workspaces that the rows name; of the rest nothing yet. */
export async function findWorld(em: EntityManager, rows: Row[]): Promise<World> {
  const ids: Ids = { users: new Map(), workspaces: new Map(), groups: new Map() }
  const known: Known = {
    ...{ workspaces: new Map(), users: new Map() },
    ...{ members: new Map(), groups: new Set(), groupMembers: new Set() },
  }
  for (const { id, slug, owners } of await findWorkspaces(em, slugsOf(rows))) {
    ids.workspaces.set(slug, id)
    known.workspaces.set(slug, owners)
  }
  return { known, ids }
}

function slugsOf(rows: Row[]): string[] {
  return [...new Set(rows.filter(({ errors }) => errors.length === 0).map(({ slug }) => slug))]
}

/** With the number of owners who have joined. */
function findWorkspaces(em: EntityManager, slugs: string[]) {
  return executeBound<{ id: string; slug: string; owners: number }>(em, {
    sql: `
      select w.id, w.slug, (select count(*)::int from members m
        where m.workspace_id = w.id and m.role = 'owner' and m.joined_at is not null) as owners
      from workspaces w where w.slug = any($1::text[])`,
    values: [textArray(slugs)],
  })
}

/**
 * Adds what exists of all that some rows name; what the rows before them changed stays so. Nothing
 * is joined: what a large file has just made is unknown to the planner's statistics, and it would
 * join by walking all pairs.
 */
export async function learn(em: EntityManager, some: Row[], { known, ids }: World): Promise<void> {
  const rows = some.filter(({ errors, slug }) => errors.length === 0 && ids.workspaces.has(slug))
  if (rows.length === 0) return
  const workspaceIds = arrayLiteral([...ids.workspaces.values()])
  const slugs = new Map([...ids.workspaces].map(([slug, id]) => [id, slug]))
  const emails = new Map<string, string>()
  const users = await executeBound<{ id: string; email: string; name: string }>(em, {
    sql: 'select id, email, name from users where email = any($1::text[])',
    values: [textArray([...new Set(rows.map(({ email }) => email))])],
  })
  for (const { id, email, name } of users) {
    emails.set(id, email)
    ids.users.set(email, id)
    if (!known.users.has(email)) known.users.set(email, name)
  }
  const userIds = arrayLiteral([...emails.keys()])

  type Member = { user_id: string; workspace_id: string; role: Role; joined: boolean }
  const members = await executeBound<Member>(em, {
    sql: `
      select user_id, workspace_id, role, joined_at is not null as joined from members
      where user_id = any($1::uuid[])`,
    values: [userIds],
  })
  for (const { user_id, workspace_id, role, joined } of members) {
    const slug = slugs.get(workspace_id)
    const key = keyOf(slug ?? '', emails.get(user_id) ?? '')
    if (slug && !known.members.has(key)) known.members.set(key, { role, joined })
  }

  const names = [...new Set(rows.flatMap(({ groups }) => groups))]
  if (names.length === 0) return
  const groups = await executeBound<{ id: string; workspace_id: string; name: string }>(em, {
    sql: `
      select id, workspace_id, name from groups
      where workspace_id = any($1::uuid[]) and name = any($2::text[])`,
    values: [workspaceIds, textArray(names)],
  })
  const found = new Map(groups.map((group) => [group.id, group]))
  for (const { id, workspace_id, name } of groups) {
    const key = keyOf(slugs.get(workspace_id) ?? '', name)
    ids.groups.set(key, id)
    known.groups.add(key)
  }
  const groupMembers = await executeBound<{ group_id: string; user_id: string }>(em, {
    sql: 'select group_id, user_id from group_members where user_id = any($1::uuid[])',
    values: [userIds],
  })
  for (const { group_id, user_id } of groupMembers) {
    const group = found.get(group_id)
    const slug = slugs.get(group?.workspace_id ?? '')
    if (group && slug) known.groupMembers.add(keyOf(slug, emails.get(user_id) ?? '', group.name))
  }
}
