import type { EntityManager } from '@mikro-orm/postgresql'
import type { Role } from '../../workspaces/roles.ts'
import { type Known, keyOf, type Row } from './plan.ts'
import type { Tell } from './progress.ts'

/** Rows a statement. */
export const batch = 5000

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
  await em.execute(
    `select id from workspaces where slug = ${anyOf} order by id for no key update`,
    [JSON.stringify(slugsOf(rows))],
  )
}

/**
 * Loads what exists of all that the rows name. Nothing is joined: what a large file has just made
 * is unknown to the planner's statistics, and it would join by walking all pairs.
 */
export async function loadKnown(
  em: EntityManager,
  rows: Row[],
  tell: Tell,
): Promise<{ known: Known; ids: Ids }> {
  const ids: Ids = { users: new Map(), workspaces: new Map(), groups: new Map() }
  const known: Known = {
    ...{ workspaces: new Map(), users: new Map() },
    ...{ members: new Map(), groups: new Set(), groupMembers: new Set() },
  }
  for (const { id, slug, owners } of await findWorkspaces(em, slugsOf(rows))) {
    ids.workspaces.set(slug, id)
    known.workspaces.set(slug, owners)
  }
  const good = rows.filter(({ errors, slug }) => errors.length === 0 && ids.workspaces.has(slug))
  for (let at = 0; at < good.length; at += batch) {
    await addKnown(em, good.slice(at, at + batch), known, ids)
    tell('Comparing', at, good.length)
  }
  return { known, ids }
}

/** An array of texts, which comes as JSON. */
const anyOf = 'any(array(select json_array_elements_text(?::json)))'

/** The same of ids. */
const anyIdOf = 'any(array(select json_array_elements_text(?::json)::uuid))'

function slugsOf(rows: Row[]): string[] {
  return [...new Set(rows.filter(({ errors }) => errors.length === 0).map(({ slug }) => slug))]
}

/** With the number of owners who have joined. */
function findWorkspaces(em: EntityManager, slugs: string[]) {
  return em.execute<{ id: string; slug: string; owners: number }[]>(
    `select w.id, w.slug, (select count(*)::int from members m
       where m.workspace_id = w.id and m.role = 'owner' and m.joined_at is not null) as owners
     from workspaces w where w.slug = ${anyOf}`,
    [JSON.stringify(slugs)],
  )
}

async function addKnown(em: EntityManager, rows: Row[], known: Known, ids: Ids): Promise<void> {
  const workspaceIds = JSON.stringify([...ids.workspaces.values()])
  const slugs = new Map([...ids.workspaces].map(([slug, id]) => [id, slug]))
  const emails = new Map<string, string>()
  const users = await em.execute<{ id: string; email: string; name: string }[]>(
    `select id, email, name from users where email = ${anyOf}`,
    [JSON.stringify([...new Set(rows.map(({ email }) => email))])],
  )
  for (const { id, email, name } of users) {
    emails.set(id, email)
    ids.users.set(email, id)
    known.users.set(email, name)
  }
  const userIds = JSON.stringify([...emails.keys()])

  type Member = { user_id: string; workspace_id: string; role: Role; joined: boolean }
  const members = await em.execute<Member[]>(
    `select user_id, workspace_id, role, joined_at is not null as joined from members
     where user_id = ${anyIdOf} and workspace_id = ${anyIdOf}`,
    [userIds, workspaceIds],
  )
  for (const { user_id, workspace_id, role, joined } of members) {
    known.members.set(keyOf(slugs.get(workspace_id) ?? '', emails.get(user_id) ?? ''), {
      ...{ role, joined },
    })
  }

  const names = [...new Set(rows.flatMap(({ groups }) => groups))]
  if (names.length === 0) return
  const groups = await em.execute<{ id: string; workspace_id: string; name: string }[]>(
    `select id, workspace_id, name from groups
     where workspace_id = ${anyIdOf} and name = ${anyOf}`,
    [workspaceIds, JSON.stringify(names)],
  )
  const found = new Map(groups.map((group) => [group.id, group]))
  for (const { id, workspace_id, name } of groups) {
    const key = keyOf(slugs.get(workspace_id) ?? '', name)
    ids.groups.set(key, id)
    known.groups.add(key)
  }
  const groupMembers = await em.execute<{ group_id: string; user_id: string }[]>(
    `select group_id, user_id from group_members
     where user_id = ${anyIdOf} and group_id = ${anyIdOf}`,
    [userIds, JSON.stringify([...found.keys()])],
  )
  for (const { group_id, user_id } of groupMembers) {
    const { workspace_id = '', name = '' } = found.get(group_id) ?? {}
    const slug = slugs.get(workspace_id) ?? ''
    known.groupMembers.add(keyOf(slug, emails.get(user_id) ?? '', name))
  }
}
