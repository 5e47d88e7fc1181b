import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { v7 as uuid } from 'uuid'
import type { CsvImportReport } from '../../../gen/daikon/v1/admin_import.ts'
import { recordAll } from '../../activity/record.ts'
import { batch, type Ids } from './known.ts'
import { keyOf, type Plan } from './plan.ts'
import type { Tell } from './progress.ts'

type Actor = { actorId: string | undefined }

/** Writes what a plan without errors comes to, with its entries in the activity log. */
export async function writeEffects(
  em: EntityManager,
  actor: Actor,
  { effects }: Plan,
  ids: Ids,
  { summary }: CsvImportReport,
  tell: Tell,
): Promise<void> {
  const { newUsers, renamed, newMembers, roleChanges, newGroups, newGroupMembers } = effects
  const works = [
    // In order, so that nobody who makes the same users waits for us while we wait for them.
    work([...newUsers].toSorted(byFirst), (rows) => insertUsers(em, ids, rows)),
    work([...renamed], (rows) => renameUsers(em, actor, ids, rows)),
    work([...newMembers.values()], (rows) => insertMembers(em, actor, ids, rows)),
    work([...roleChanges.values()], (rows) => changeRoles(em, actor, ids, rows)),
    work(newGroups, (rows) => insertGroups(em, actor, ids, rows)),
    work(newGroupMembers, (rows) => insertGroupMembers(em, actor, ids, rows)),
  ]
  const all = works.reduce((sum, { count }) => sum + count, 0)
  if (all === 0) return
  let done = 0
  for (const { batches } of works) {
    for (const { write, count } of batches) {
      await write()
      done += count
      tell('Writing', done, all)
    }
  }
  const { rows = 0, create = 0, update = 0 } = summary ?? {}
  const detail = { rows: `${rows}`, created: `${create}`, updated: `${update}` }
  await recordAll(em, actor, [{ action: 'import.executed', targetId: uuid(), detail }])
}

/** Rows in batches, each to be written by one call. */
function work<Item>(items: Item[], write: (items: Item[]) => Promise<void>) {
  const starts = Array.from({ length: Math.ceil(items.length / batch) }, (_, at) => at * batch)
  const batches = starts.map((start) => {
    const count = Math.min(batch, items.length - start)
    return { count, write: () => write(items.slice(start, start + batch)) }
  })
  return { count: items.length, batches }
}

function byFirst([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1
}

/** Unclaimed: no account is linked. The ids hold no time, as in an invitation. */
async function insertUsers(em: EntityManager, ids: Ids, users: [string, string][]): Promise<void> {
  const rows = users.map(([email, name]) => ({ id: randomUUID(), email, name }))
  // Somebody may have signed in since.
  const done = await em.execute<{ id: string; email: string }[]>(
    `insert into users (id, email, name)
     select id, email, name from json_to_recordset(?::json) p(id uuid, email text, name text)
     on conflict (email) do update set
       name = case when excluded.name = '' then users.name else excluded.name end
     returning id, email`,
    [JSON.stringify(rows)],
  )
  for (const { id, email } of done) ids.users.set(email, id)
}

async function renameUsers(
  em: EntityManager,
  actor: Actor,
  ids: Ids,
  renamed: [string, { from: string; to: string }][],
): Promise<void> {
  const rows = renamed.map(([email, { from, to }]) => ({ id: idOf(ids.users, email), from, to }))
  await em.execute(
    `update users u set name = p."to" from json_to_recordset(?::json) p(id uuid, "to" text)
     where u.id = p.id`,
    [JSON.stringify(rows)],
  )
  const entries = rows.map(({ id, from, to }) => ({
    ...{ action: 'user.renamed' as const, targetId: id, detail: { from, to } },
  }))
  await recordAll(em, actor, entries)
}

async function insertMembers(
  em: EntityManager,
  actor: Actor,
  ids: Ids,
  members: { slug: string; email: string; role: string }[],
): Promise<void> {
  const rows = members.map(({ slug, email, role }) => ({
    ...placeOf(ids, slug, email),
    email,
    role,
  }))
  await em.execute(
    `insert into members (user_id, workspace_id, role) select user_id, workspace_id, role
     from json_to_recordset(?::json) p(user_id uuid, workspace_id uuid, role text)`,
    [JSON.stringify(rows)],
  )
  const entries = rows.map(({ user_id, workspace_id, email, role }) => ({
    action: 'member.invited' as const,
    ...{ targetId: user_id, workspaceId: workspace_id, detail: { email, role } },
  }))
  await recordAll(em, actor, entries)
}

async function changeRoles(
  em: EntityManager,
  actor: Actor,
  ids: Ids,
  changes: { slug: string; email: string; from: string; to: string }[],
): Promise<void> {
  const rows = changes.map(({ slug, email, from, to }) => ({
    ...{ ...placeOf(ids, slug, email), from, to },
  }))
  await em.execute(
    `update members m set role = p."to"
     from json_to_recordset(?::json) p(user_id uuid, workspace_id uuid, "to" text)
     where m.user_id = p.user_id and m.workspace_id = p.workspace_id`,
    [JSON.stringify(rows)],
  )
  const entries = rows.map(({ user_id, workspace_id, from, to }) => ({
    action: 'member.role_changed' as const,
    ...{ targetId: user_id, workspaceId: workspace_id, detail: { from, to } },
  }))
  await recordAll(em, actor, entries)
}

async function insertGroups(
  em: EntityManager,
  actor: Actor,
  ids: Ids,
  groups: { slug: string; name: string }[],
): Promise<void> {
  const rows = groups.map(({ slug, name }) => {
    const workspace_id = idOf(ids.workspaces, slug)
    return { id: uuid(), workspace_id, name, created_by: actor.actorId, slug }
  })
  // Another group of the name may have been made since; then it is the one.
  const done = await em.execute<
    { id: string; workspace_id: string; name: string; made: boolean }[]
  >(
    `insert into groups (id, workspace_id, name, created_by) select id, workspace_id, name, created_by
     from json_to_recordset(?::json) p(id uuid, workspace_id uuid, name text, created_by uuid)
     on conflict (workspace_id, name) do update set name = excluded.name
     returning id, workspace_id, name, xmax = 0 as made`,
    [JSON.stringify(rows)],
  )
  const slugs = new Map(rows.map(({ workspace_id, slug }) => [workspace_id, slug]))
  for (const { id, workspace_id, name } of done)
    ids.groups.set(keyOf(slugs.get(workspace_id) ?? '', name), id)
  const entries = done
    .filter(({ made }) => made)
    .map(({ id, workspace_id, name }) => ({
      ...{ action: 'group.created' as const, targetId: id, workspaceId: workspace_id },
      detail: { name },
    }))
  await recordAll(em, actor, entries)
}

async function insertGroupMembers(
  em: EntityManager,
  actor: Actor,
  ids: Ids,
  members: { slug: string; email: string; name: string }[],
): Promise<void> {
  const rows = members.map(({ slug, email, name }) => {
    const group_id = idOf(ids.groups, keyOf(slug, name))
    return { group_id, ...placeOf(ids, slug, email), name }
  })
  await em.execute(
    `insert into group_members (group_id, user_id, workspace_id)
     select group_id, user_id, workspace_id
     from json_to_recordset(?::json) p(group_id uuid, user_id uuid, workspace_id uuid)
     on conflict do nothing`,
    [JSON.stringify(rows)],
  )
  const entries = rows.map(({ group_id, user_id, workspace_id, name }) => ({
    action: 'group.member_added' as const,
    ...{ targetId: group_id, workspaceId: workspace_id, detail: { name, user_id } },
  }))
  await recordAll(em, actor, entries)
}

function placeOf(ids: Ids, slug: string, email: string) {
  return { user_id: idOf(ids.users, email), workspace_id: idOf(ids.workspaces, slug) }
}

function idOf(ids: Map<string, string>, key: string): string {
  const id = ids.get(key)
  if (!id) throw new Error(`the plan names what is not there: ${key}`)
  return id
}
