import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { v7 as uuid } from 'uuid'
import type { CsvImportReport } from '../../../gen/daikon/v1/admin_import.ts'
import { recordAll } from '../../activity/record.ts'
import { batch } from './known.ts'
import type { Plan } from './plan.ts'
import type { Tell } from './progress.ts'

type Actor = { actorId: string | undefined }

/** Writes what a plan without errors comes to, with its entries in the activity log. */
export async function writeEffects(
  em: EntityManager,
  actor: Actor,
  { effects }: Plan,
  { summary }: CsvImportReport,
  tell: Tell,
): Promise<void> {
  const { newUsers, renamed, newMembers, roleChanges, newGroups, newGroupMembers } = effects
  const works = [
    // In order, so that nobody who makes the same users waits for us while we wait for them.
    work([...newUsers].toSorted(byFirst), (rows) => insertUsers(em, rows)),
    work([...renamed], (rows) => renameUsers(em, actor, rows)),
    work([...newMembers.values()], (rows) => insertMembers(em, actor, rows)),
    work([...roleChanges.values()], (rows) => changeRoles(em, actor, rows)),
    work(newGroups, (rows) => insertGroups(em, actor, rows)),
    work(newGroupMembers, (rows) => insertGroupMembers(em, actor, rows)),
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
async function insertUsers(em: EntityManager, users: [string, string][]): Promise<void> {
  const rows = users.map(([email, name]) => ({ id: randomUUID(), email, name }))
  await em.execute(
    `insert into users (id, email, name)
     select id, email, name from json_to_recordset(?::json) p(id uuid, email text, name text)
     on conflict (email) do update set name = excluded.name where excluded.name <> ''`,
    [JSON.stringify(rows)],
  )
}

async function renameUsers(
  em: EntityManager,
  actor: Actor,
  renamed: [string, { from: string; to: string }][],
): Promise<void> {
  const rows = renamed.map(([email, { from, to }]) => ({ email, from, to }))
  type Renamed = { id: string; from: string; to: string }
  const done = await em.execute<Renamed[]>(
    `update users u set name = p.to
     from json_to_recordset(?::json) p(email text, "from" text, "to" text) where u.email = p.email
     returning u.id, p.from, p.to`,
    [JSON.stringify(rows)],
  )
  const entries = done.map(({ id, from, to }) => ({
    ...{ action: 'user.renamed' as const, targetId: id, detail: { from, to } },
  }))
  await recordAll(em, actor, entries)
}

type MemberRow = { user_id: string; workspace_id: string }

async function insertMembers(
  em: EntityManager,
  actor: Actor,
  members: { slug: string; email: string; role: string }[],
): Promise<void> {
  const done = await em.execute<(MemberRow & { email: string; role: string })[]>(
    `with p as materialized (
       select u.id as user_id, w.id as workspace_id, p.email, p.role
       from json_to_recordset(?::json) p(slug text, email text, role text)
       join users u on u.email = p.email join workspaces w on w.slug = p.slug),
     added as (
       insert into members (user_id, workspace_id, role) select user_id, workspace_id, role from p
       on conflict do nothing returning user_id, workspace_id)
     select * from added join p using (user_id, workspace_id)`,
    [JSON.stringify(members)],
  )
  const entries = done.map(({ user_id, workspace_id, email, role }) => ({
    action: 'member.invited' as const,
    ...{ targetId: user_id, workspaceId: workspace_id, detail: { email, role } },
  }))
  await recordAll(em, actor, entries)
}

async function changeRoles(
  em: EntityManager,
  actor: Actor,
  changes: { slug: string; email: string; from: string; to: string }[],
): Promise<void> {
  const done = await em.execute<(MemberRow & { from: string; to: string })[]>(
    `update members m set role = p.to
     from json_to_recordset(?::json) p(slug text, email text, "from" text, "to" text)
     join users u on u.email = p.email join workspaces w on w.slug = p.slug
     where m.user_id = u.id and m.workspace_id = w.id
     returning m.user_id, m.workspace_id, p.from, p.to`,
    [JSON.stringify(changes)],
  )
  const entries = done.map(({ user_id, workspace_id, from, to }) => ({
    action: 'member.role_changed' as const,
    ...{ targetId: user_id, workspaceId: workspace_id, detail: { from, to } },
  }))
  await recordAll(em, actor, entries)
}

async function insertGroups(
  em: EntityManager,
  actor: Actor,
  groups: { slug: string; name: string }[],
): Promise<void> {
  const rows = groups.map((group) => ({ id: uuid(), ...group }))
  const done = await em.execute<{ id: string; workspace_id: string; name: string }[]>(
    `insert into groups (id, workspace_id, name, created_by)
     select p.id, w.id, p.name, ? from json_to_recordset(?::json) p(id uuid, slug text, name text)
     join workspaces w on w.slug = p.slug
     on conflict do nothing returning id, workspace_id, name`,
    [actor.actorId ?? null, JSON.stringify(rows)],
  )
  const entries = done.map(({ id, workspace_id, name }) => ({
    ...{ action: 'group.created' as const, targetId: id, workspaceId: workspace_id },
    detail: { name },
  }))
  await recordAll(em, actor, entries)
}

async function insertGroupMembers(
  em: EntityManager,
  actor: Actor,
  members: { slug: string; email: string; name: string }[],
): Promise<void> {
  const done = await em.execute<(MemberRow & { group_id: string; name: string })[]>(
    `with p as materialized (
       select g.id as group_id, u.id as user_id, w.id as workspace_id, p.name
       from json_to_recordset(?::json) p(slug text, email text, name text)
       join users u on u.email = p.email join workspaces w on w.slug = p.slug
       join groups g on g.workspace_id = w.id and g.name = p.name),
     added as (
       insert into group_members (group_id, user_id, workspace_id)
       select group_id, user_id, workspace_id from p
       on conflict do nothing returning group_id, user_id)
     select * from added join p using (group_id, user_id)`,
    [JSON.stringify(members)],
  )
  const entries = done.map(({ group_id, user_id, workspace_id, name }) => ({
    action: 'group.member_added' as const,
    ...{ targetId: group_id, workspaceId: workspace_id, detail: { name, user_id } },
  }))
  await recordAll(em, actor, entries)
}
