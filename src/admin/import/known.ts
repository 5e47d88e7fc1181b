import type { EntityManager } from '@mikro-orm/postgresql'
import type { Role } from '../../workspaces/roles.ts'
import { type Known, keyOf, type Row } from './plan.ts'
import type { Tell } from './progress.ts'

/** Rows a statement. */
export const batch = 5000

/**
 * Holds the workspaces that the rows name until the end of the transaction, as `lockOwners` does
 * one, and other imports off: they wait for each other rather than for each other's rows.
 */
export async function holdWorkspaces(em: EntityManager, rows: Row[]): Promise<void> {
  await em.execute(`select pg_advisory_xact_lock(hashtext('daikon import'))`)
  await em.execute(
    `select id from workspaces where slug = any(array(select json_array_elements_text(?::json)))
     order by id for no key update`,
    [JSON.stringify(slugsOf(rows))],
  )
}

/** Loads what exists of all that the rows name. */
export async function loadKnown(em: EntityManager, rows: Row[], tell: Tell): Promise<Known> {
  const known: Known = {
    workspaces: await loadWorkspaces(em, slugsOf(rows)),
    ...{ users: new Map(), members: new Map(), groups: new Set(), groupMembers: new Set() },
  }
  const good = rows.filter(({ errors, slug }) => errors.length === 0 && known.workspaces.has(slug))
  for (let at = 0; at < good.length; at += batch) {
    await addKnown(em, good.slice(at, at + batch), known)
    tell('Comparing', at, good.length)
  }
  return known
}

function slugsOf(rows: Row[]): string[] {
  return [...new Set(rows.filter(({ errors }) => errors.length === 0).map(({ slug }) => slug))]
}

/** How many owners have joined, by slug. */
async function loadWorkspaces(em: EntityManager, slugs: string[]): Promise<Map<string, number>> {
  const sql = `
    select w.slug, (select count(*)::int from members m
      where m.workspace_id = w.id and m.role = 'owner' and m.joined_at is not null) as owners
    from workspaces w where w.slug = any(array(select json_array_elements_text(?::json)))`
  const rows = await em.execute<{ slug: string; owners: number }[]>(sql, [JSON.stringify(slugs)])
  return new Map(rows.map(({ slug, owners }) => [slug, owners]))
}

async function addKnown(em: EntityManager, rows: Row[], known: Known): Promise<void> {
  const places = JSON.stringify(rows.map(({ slug, email }) => ({ slug, email })))
  type Person = { slug: string; email: string; name: string; role: Role | null; joined: boolean }
  const people = await em.execute<Person[]>(
    `select p.slug, p.email, u.name, m.role, m.joined_at is not null as joined
     from json_to_recordset(?::json) p(slug text, email text)
     join users u on u.email = p.email
     join workspaces w on w.slug = p.slug
     left join members m on m.user_id = u.id and m.workspace_id = w.id`,
    [places],
  )
  for (const { slug, email, name, role, joined } of people) {
    known.users.set(email, name)
    if (role) known.members.set(keyOf(slug, email), { role, joined })
  }

  const named = rows.flatMap(({ slug, email, groups }) =>
    groups.map((name) => ({ slug, email, name })),
  )
  type Place = { slug: string; email: string; name: string; member: boolean }
  for (let at = 0; at < named.length; at += batch) {
    const groups = await em.execute<Place[]>(
      `select p.slug, p.email, p.name, exists (
         select from group_members m join users u on u.id = m.user_id
         where m.group_id = g.id and u.email = p.email) as member
       from json_to_recordset(?::json) p(slug text, email text, name text)
       join workspaces w on w.slug = p.slug
       join groups g on g.workspace_id = w.id and g.name = p.name`,
      [JSON.stringify(named.slice(at, at + batch))],
    )
    for (const { slug, email, name, member } of groups) {
      known.groups.add(keyOf(slug, name))
      if (member) known.groupMembers.add(keyOf(slug, email, name))
    }
  }
}
