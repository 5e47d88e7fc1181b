import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { v7 as uuid } from 'uuid'
import type { CsvImportReport } from '../../../gen/daikon/v1/admin_import.ts'
import { type Actor, recordActivityStatement } from '../../activity/record-activity.ts'
import { type BoundStatement, executeBound } from '../../database/bound-statement.ts'
import { arrayLiteral, textArray } from '../../database/sql-values.ts'
import type { OnProgress } from './on-progress.ts'
import { type Effects, keyOf, type Plan } from './plan.ts'
import type { Ids } from './snapshot.ts'

/** Rows a statement. */
const batch = 1000

/** Members whom one entry of the log tells of: a page of the log stays readable. */
const mostTold = 100

/** What all batches are written with: where to, by whom, and the ids of what they name. */
type Writing = { em: EntityManager; actor: Actor; ids: Ids }

/** Sends what has been prepared. */
type Send = () => Promise<void>

/** Writes what a plan without errors comes to, with its entries in the activity log. */
export async function writeEffects(
  em: EntityManager,
  actor: Actor,
  { effects }: Plan,
  ids: Ids,
  { summary }: CsvImportReport,
  tell: OnProgress,
): Promise<void> {
  const writing = { em, actor, ids }
  const works = [
    // In order, so that nobody who makes the same users waits for us while we wait for them.
    work([...effects.newUsers].toSorted(byFirst), (items) => insertUsers(writing, items)),
    work([...effects.renamed], (items) => renameUsers(writing, items)),
    work([...effects.newMembers.values()], (items) => insertMembers(writing, items)),
    work([...effects.roleChanges.values()], (items) => changeRoles(writing, items)),
    work(effects.newGroups, (items) => insertGroups(writing, items)),
    work(inGroups(effects), (items) => insertGroupMembers(writing, items)),
  ]
  const all = works.reduce((sum, { count }) => sum + count, 0)
  if (all === 0) return
  let done = 0
  for (const { batches } of works) {
    let sent: Promise<void> | undefined
    for (const { prepare, count } of batches) {
      // Prepared while PostgreSQL writes the batch before.
      const send = prepare()
      await sent
      tell('Writing', done, all)
      done += count
      sent = send()
      // Heard of at the next turn.
      sent.catch(() => {})
    }
    await sent
  }
  const { rows = 0, create = 0, update = 0 } = summary ?? {}
  const detail = { rows: `${rows}`, created: `${create}`, updated: `${update}` }
  await executeBound(
    em,
    recordActivityStatement(actor, 'import.executed', [{ targetId: uuid(), detail }]),
  )
}

/** Items in batches, each prepared by one call. */
function work<Item>(items: Item[], prepare: (items: Item[]) => Send) {
  const batches = inBatches(items, batch).map((some) => ({
    ...{ count: some.length, prepare: () => prepare(some) },
  }))
  return { count: items.length, batches }
}

function inBatches<Item>(items: Item[], size: number): [Item, ...Item[]][] {
  const starts = Array.from({ length: Math.ceil(items.length / size) }, (_, at) => at * size)
  return starts.map((start) => items.slice(start, start + size) as [Item, ...Item[]])
}

function byFirst([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1
}

function sendAll({ em }: Writing, statements: BoundStatement[]): Send {
  return async () => {
    for (const statement of statements) await executeBound(em, statement)
  }
}

/** Unclaimed: no account is linked. The ids hold no time, as in an invitation. */
function insertUsers({ em, ids }: Writing, users: [string, string][]): Send {
  const statement = {
    // Somebody may have signed in since.
    sql: `
      insert into users (id, email, name)
      select id, email, name from unnest($1::uuid[], $2::text[], $3::text[]) as p(id, email, name)
      on conflict (email) do update set
        name = case when excluded.name = '' then users.name else excluded.name end
      returning id, email`,
    values: [
      arrayLiteral(users.map(() => randomUUID())),
      textArray(users.map(([email]) => email)),
      textArray(users.map(([, name]) => name)),
    ],
  }
  return async () => {
    const made = await executeBound<{ id: string; email: string }>(em, statement)
    for (const { id, email } of made) ids.users.set(email, id)
  }
}

function renameUsers(writing: Writing, renamed: [string, { from: string; to: string }][]): Send {
  const users = renamed.map(([email, { from, to }]) => ({
    ...{ id: idOf(writing.ids.users, email), from, to },
  }))
  const update = {
    sql: `
      update users u set name = p.name from unnest($1::uuid[], $2::text[]) as p(id, name)
      where u.id = p.id`,
    values: [arrayLiteral(users.map(({ id }) => id)), textArray(users.map(({ to }) => to))],
  }
  const entries = users.map(({ id, from, to }) => ({ targetId: id, detail: { from, to } }))
  return sendAll(writing, [update, recordActivityStatement(writing.actor, 'user.renamed', entries)])
}

type Membership = { slug: string; email: string }

function insertMembers(writing: Writing, items: (Membership & { role: string })[]): Send {
  const members = placed(writing.ids, items)
  const insert = {
    sql: `
      insert into members (user_id, workspace_id, role)
      select * from unnest($1::uuid[], $2::uuid[], $3::text[])`,
    values: [...placeArrays(members), arrayLiteral(members.map(({ role }) => role))],
  }
  const entries = members.map(({ userId, workspaceId, email, role }) => ({
    ...{ targetId: userId, workspaceId, detail: { email, role } },
  }))
  return sendAll(writing, [
    insert,
    recordActivityStatement(writing.actor, 'member.invited', entries),
  ])
}

function changeRoles(writing: Writing, items: (Membership & { from: string; to: string })[]): Send {
  const changes = placed(writing.ids, items)
  const update = {
    sql: `
      update members m set role = p.role
      from unnest($1::uuid[], $2::uuid[], $3::text[]) as p(user_id, workspace_id, role)
      where m.user_id = p.user_id and m.workspace_id = p.workspace_id`,
    values: [...placeArrays(changes), arrayLiteral(changes.map(({ to }) => to))],
  }
  const entries = changes.map(({ userId, workspaceId, from, to }) => ({
    ...{ targetId: userId, workspaceId, detail: { from, to } },
  }))
  return sendAll(writing, [
    update,
    recordActivityStatement(writing.actor, 'member.role_changed', entries),
  ])
}

function insertGroups({ em, actor, ids }: Writing, items: { slug: string; name: string }[]): Send {
  const groups = items.map((item) => ({ ...item, workspaceId: idOf(ids.workspaces, item.slug) }))
  const slugs = new Map(groups.map(({ workspaceId, slug }) => [workspaceId, slug]))
  const statement = {
    // Another group of the name may have been made since; then it is the one.
    sql: `
      insert into groups (id, workspace_id, name, created_by)
      select id, workspace_id, name, $4::uuid
      from unnest($1::uuid[], $2::uuid[], $3::text[]) as p(id, workspace_id, name)
      on conflict (workspace_id, name) do update set name = excluded.name
      returning id, workspace_id, name, xmax = 0 as made`,
    values: [
      arrayLiteral(groups.map(() => uuid())),
      arrayLiteral(groups.map(({ workspaceId }) => workspaceId)),
      textArray(groups.map(({ name }) => name)),
      actor.actorId,
    ],
  }
  type Done = { id: string; workspace_id: string; name: string; made: boolean }
  return async () => {
    const done = await executeBound<Done>(em, statement)
    for (const { id, workspace_id, name } of done)
      ids.groups.set(keyOf(slugs.get(workspace_id) ?? '', name), id)
    const entries = done
      .filter(({ made }) => made)
      .map(({ id, workspace_id, name }) => ({
        ...{ targetId: id, workspaceId: workspace_id, detail: { name } },
      }))
    await executeBound(em, recordActivityStatement(actor, 'group.created', entries))
  }
}

/** Who comes into which group, the members of a group together. */
function inGroups({ newGroupMembers }: Effects): (Membership & { name: string })[] {
  return [...newGroupMembers.values()].flatMap(({ slug, name, emails }) =>
    emails.map((email) => ({ slug, name, email })),
  )
}

function insertGroupMembers(writing: Writing, items: (Membership & { name: string })[]): Send {
  const members = placed(writing.ids, items).map((member) => ({
    ...{ ...member, groupId: idOf(writing.ids.groups, keyOf(member.slug, member.name)) },
  }))
  const insert = {
    sql: `
      insert into group_members (user_id, workspace_id, group_id)
      select * from unnest($1::uuid[], $2::uuid[], $3::uuid[])
      on conflict do nothing`,
    values: [...placeArrays(members), arrayLiteral(members.map(({ groupId }) => groupId))],
  }
  const entries = [...Map.groupBy(members, ({ groupId }) => groupId)].flatMap(([targetId, all]) =>
    inBatches(all, mostTold).map((some) => {
      const [{ workspaceId, name }] = some
      const detail = { name, user_ids: some.map(({ userId }) => userId).join(' ') }
      return { targetId, workspaceId, detail }
    }),
  )
  return sendAll(writing, [
    insert,
    recordActivityStatement(writing.actor, 'group.members_added', entries),
  ])
}

type Place = { userId: string; workspaceId: string }

function placed<Item extends Membership>(ids: Ids, items: Item[]): (Item & Place)[] {
  return items.map((item) => ({
    ...item,
    userId: idOf(ids.users, item.email),
    workspaceId: idOf(ids.workspaces, item.slug),
  }))
}

function placeArrays(places: Place[]): string[] {
  return [
    arrayLiteral(places.map(({ userId }) => userId)),
    arrayLiteral(places.map(({ workspaceId }) => workspaceId)),
  ]
}

function idOf(ids: Map<string, string>, key: string): string {
  const id = ids.get(key)
  if (!id) throw new Error(`the plan names what is not there: ${key}`)
  return id
}
