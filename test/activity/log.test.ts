import { randomUUID } from 'node:crypto'
import test from 'ava'
import { v7 as uuid } from 'uuid'
import { csvCell, exportActivity } from '../../src/activity/export.ts'
import { record } from '../../src/activity/record.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { inTransaction } from '../../src/storage/transaction.ts'
import { hireAdmin } from '../support/admin.ts'
import { answered, refused } from '../support/ending.ts'
import { startWorld } from '../support/world.ts'

const world = await startWorld()
const { pool, seed } = world
const boss = await hireAdmin(world)
const database = await openDatabase(world.databaseUrl, () => {})
test.after.always(async () => {
  await database.close()
  await world.stop()
})

/** Entries of one workspace, the oldest first. */
async function fill(workspaceId: string, count: number, actor: string | null = null) {
  const ids = Array.from({ length: count }, () => uuid())
  await pool.query(
    `insert into activity (id, action, target_type, target_id, actor_id, workspace_id, detail)
     select id, case when n % 2 = 0 then 'group.created' else 'member.removed' end,
       case when n % 2 = 0 then 'group' else 'user' end, id, $3, $2, '{"name": "=1+1"}'
     from unnest($1::uuid[]) with ordinality x(id, n)`,
    [ids, workspaceId, actor],
  )
  return ids
}

for (const door of world.doors) {
  test(`the log is walked page by page, and nothing is lost or repeated while more happens through ${door.name}`, async (t) => {
    const workspace_id = randomUUID()
    const ids = await fill(workspace_id, 25)
    const seen: string[] = []
    let before: string | undefined
    do {
      const page = answered(
        await boss.call(door, 'ListActivity', {
          workspace_id,
          limit: 10,
          ...(before && { before }),
        }),
      )
      seen.push(...page.items.map(({ id }: { id: string }) => id))
      before = page.next_before
      await fill(workspace_id, 3)
    } while (before)
    t.deepEqual(seen, ids.reverse())
  })

  test(`entries are found by action, actor, workspace and type of target through ${door.name}`, async (t) => {
    const [workspace_id, actor_id] = [randomUUID(), randomUUID()]
    await fill(workspace_id, 4, actor_id)
    const count = async (filter: object) => {
      const { items } = answered(await boss.call(door, 'ListActivity', { workspace_id, ...filter }))
      return items.length
    }
    t.is(await count({}), 4)
    t.is(await count({ action: 'group.created' }), 2)
    t.is(await count({ target_type: 'user' }), 2)
    t.is(await count({ actor_id }), 4)
    t.is(await count({ actor_id: randomUUID() }), 0)
    t.is(await count({ before: '00000000-0000-0000-0000-000000000000' }), 0)
    const { items } = answered(await boss.call(door, 'ListActivity', { workspace_id, limit: 1 }))
    t.like(items[0], { action: 'group.created', workspace_id, actor_id, detail: { name: '=1+1' } })
    t.false(Number.isNaN(Date.parse(items[0].created_at)))
  })

  test(`a filter of no known value is named through ${door.name}`, async (t) => {
    const wrong = { action: 'x', target_type: 'y', limit: 50 }
    const { problems } = refused(await boss.call(door, 'ListActivity', wrong))
    t.deepEqual(problems.map(({ field }) => field).sort(), ['action', 'target_type'])
    const worse = { before: 'x', actor_id: 'y', limit: 201 }
    const { kind, problems: more } = refused(await boss.call(door, 'ListActivity', worse))
    t.is(kind, 'invalid')
    t.deepEqual(more.map(({ field }) => field).sort(), ['actor_id', 'before', 'limit'])
  })
}

for (const door of world.doors) {
  test.serial(`the dashboard's figures are those of now through ${door.name}`, async (t) => {
    const first = answered(await boss.call(door, 'GetStats'))
    const owner = await seed.user(randomUUID())
    await pool.query('update users set is_active = false where id = $1', [
      await seed.user(randomUUID()),
    ])
    const workspace = await seed.workspace(randomUUID())
    await pool.query(`insert into members (user_id, workspace_id, role) values ($1, $2, 'owner')`, [
      owner,
      workspace,
    ])
    const next = answered(await boss.call(door, 'GetStats'))
    t.is(next.total_users, first.total_users + 2)
    t.is(next.active_users, first.active_users + 1)
    t.is(next.total_workspaces, first.total_workspaces + 1)
    t.is(next.signups_by_day.length, 30)
    t.deepEqual(next.signups_by_day.at(-1), {
      day: new Date().toISOString().slice(0, 10),
      count: next.total_users,
    })
    const share = next.workspace_distribution.find(
      ({ workspace_id }: { workspace_id: string }) => workspace_id === workspace,
    )
    t.like(share, { members: 1, groups: 0, resources: 0 })
    t.true(next.recent_activity.length <= 10)
  })
}

test('an entry goes with the transaction that fails', async (t) => {
  const workspaceId = randomUUID()
  const failing = inTransaction(database.fork(), async (em) => {
    const entry = { action: 'workspace.created', detail: { slug: 's' } } as const
    await record(em, { actorId: undefined }, { ...entry, targetId: workspaceId, workspaceId })
    throw new Error('no')
  })
  await t.throwsAsync(failing, { message: 'no' })
  const { rows } = await pool.query('select from activity where workspace_id = $1', [workspaceId])
  t.is(rows.length, 0)
})

test('the export holds every entry once, however many there are, page by page', async (t) => {
  const ids = await fill(randomUUID(), 2500)
  let text = ''
  let longest = 0
  for await (const part of exportActivity(database.fork(), 'jsonl')) {
    text += part
    longest = Math.max(longest, part.split('\n').length - 1)
  }
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const exported = lines.map(({ id }) => id)
  t.is(new Set(exported).size, exported.length)
  t.true(ids.every((id) => exported.includes(id)))
  t.is(longest, 1000)
})

test('the export as CSV opens in a spreadsheet without running anything', async (t) => {
  await fill(randomUUID(), 1)
  let text = ''
  for await (const part of exportActivity(database.fork(), 'csv')) text += part
  const [head, ...lines] = text.trimEnd().split('\r\n')
  t.is(head, 'id,created_at,action,target_type,target_id,actor_id,workspace_id,detail')
  t.true(lines.every((line) => /^[0-9a-f-]{36},\d{4}-/.test(line)))
  t.is(csvCell('=1+1'), "'=1+1")
  t.is(csvCell('@x'), "'@x")
  t.is(csvCell('-1, "two"'), `"'-1, ""two"""`)
  t.is(csvCell('\tx'), "'\tx")
  t.is(csvCell('plain'), 'plain')
})
