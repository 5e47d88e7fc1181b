import { randomUUID } from 'node:crypto'
import test from 'ava'
import { v7 as uuid } from 'uuid'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { pool } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

/** Inserts entries of one workspace, oldest first. */
async function fill(workspaceId: string, count: number, actor: string | null = null) {
  return insertEntries(
    workspaceId,
    Array.from({ length: count }, () => uuid()),
    actor,
  )
}

async function insertEntries(workspaceId: string, ids: string[], actor: string | null = null) {
  await pool.query(
    `insert into activity (id, action, target_type, target_id, actor_id, workspace_id, detail)
     select id, case when n % 2 = 0 then 'group.created' else 'member.removed' end,
       case when n % 2 = 0 then 'group' else 'user' end, id, $3, $2, '{"name": "=1+1"}'
     from unnest($1::uuid[]) with ordinality x(id, n)`,
    [ids, workspaceId, actor],
  )
  return ids
}

/** Reads the ids of all entries of a workspace, page by page. */
async function walk(transport: Transport, workspace_id: string): Promise<string[]> {
  const listed: string[] = []
  let before: string | undefined
  do {
    const message = { workspace_id, limit: 7, ...(before && { before }) }
    const page = expectOk(await admin.call(transport, 'ListActivity', message))
    listed.push(...page.items.map(({ id }: { id: string }) => id))
    before = page.next_before
  } while (before)
  return listed
}

for (const transport of environment.transports) {
  test(`the log is filtered by target and time over ${transport.label}`, async (t) => {
    const workspace_id = randomUUID()
    const times = [1, 2, 3].map((day) => `2020-01-0${day}T00:00:00Z`)
    // IDs of entries begin with the time of the node, created_at is the time of the database.
    const ids = times.map((time) => uuid({ msecs: Date.parse(time) + 60_000 }))
    await insertEntries(workspace_id, ids)
    for (const [index, id] of ids.entries())
      await pool.query(`update activity set created_at = $2 where id = $1`, [id, times[index]])
    const list = async (filter: object) => {
      const outcome = await admin.call(transport, 'ListActivity', { workspace_id, ...filter })
      return expectOk(outcome).items.map(({ id }: { id: string }) => ids.indexOf(id))
    }
    t.deepEqual(await list({ target_id: ids[1] }), [1])
    t.deepEqual(await list({ since: '2020-01-02T00:00:00Z' }), [2, 1])
    t.deepEqual(await list({ until: '2020-01-02T01:00:00+01:00' }), [0])
    t.deepEqual(await list({ since: '2020-01-02T00:00:00Z', until: '2020-01-03T00:00:00Z' }), [1])
    if (transport.name === 'grpc') return
    for (const since of ['yesterday', '2020-13-01T00:00:00Z', '2020-01-01'])
      t.like(expectError(await admin.call(transport, 'ListActivity', { since })), {
        violations: [{ field: 'since', message: 'must be a time such as 2026-01-31T12:00:00Z' }],
      })
  })

  test(`pages of the log neither miss nor repeat entries while new ones are recorded over ${transport.label}`, async (t) => {
    const workspace_id = randomUUID()
    const ids = await fill(workspace_id, 25)
    const listed: string[] = []
    let before: string | undefined
    do {
      const page = expectOk(
        await admin.call(transport, 'ListActivity', {
          workspace_id,
          limit: 10,
          ...(before && { before }),
        }),
      )
      listed.push(...page.items.map(({ id }: { id: string }) => id))
      before = page.next_before
      await fill(workspace_id, 3)
    } while (before)
    t.deepEqual(listed, ids.reverse())
  })

  test(`four concurrent readers see every initial entry once and in order while four writers run over ${transport.label}`, async (t) => {
    const workspace_id = randomUUID()
    const ids = (await fill(workspace_id, 60)).reverse()
    let walking = true
    const writers = Array.from({ length: 4 }, async () => {
      while (walking) await fill(workspace_id, 2)
    })
    const walks = await Promise.all(Array.from({ length: 4 }, () => walk(transport, workspace_id)))
    walking = false
    await Promise.all(writers)
    for (const listed of walks) {
      t.is(new Set(listed).size, listed.length)
      t.deepEqual(listed, listed.toSorted().reverse())
      t.deepEqual(listed.slice(-60), ids)
    }
  })

  test(`the last page and an empty page have no next_before over ${transport.label}`, async (t) => {
    const workspace_id = randomUUID()
    const read = async (limit: number, before?: string) => {
      const message = { workspace_id, limit, ...(before && { before }) }
      return expectOk(await admin.call(transport, 'ListActivity', message))
    }
    const empty = await read(10)
    t.deepEqual(empty.items, [])
    t.is(empty.next_before ?? undefined, undefined)
    const ids = await fill(workspace_id, 10)
    t.is((await read(10)).next_before ?? undefined, undefined)
    t.is((await read(9)).next_before, ids[1])
    t.is((await read(200)).items.length, 10)
  })

  test(`an entry has all fields and its detail unchanged over ${transport.label}`, async (t) => {
    const [id, workspace_id, target_id] = [uuid(), randomUUID(), randomUUID()]
    const detail = { a: '=1+1', n: 1.5, yes: true, none: null, list: ['x', { y: [] }], __proto: '' }
    await pool.query(
      `insert into activity (id, action, target_type, target_id, workspace_id, detail, created_at)
       values ($1, 'group.created', 'group', $2, $3, $4, '2026-02-28T23:59:59.123Z')`,
      [id, target_id, workspace_id, JSON.stringify(detail)],
    )
    const { items } = expectOk(await admin.call(transport, 'ListActivity', { workspace_id }))
    const absent = transport.name === 'rest' ? null : undefined
    t.deepEqual(items, [
      {
        id,
        action: 'group.created',
        target_type: 'group',
        target_id,
        actor_id: absent,
        workspace_id,
        detail,
        created_at: '2026-02-28T23:59:59.123Z',
        service_app_id: absent,
        actor_type: absent,
        key_prefix: absent,
        api_key_prefix: absent,
        agent_type: absent,
        agent_id: absent,
        delegation_id: absent,
        request_id: absent,
        ip: absent,
      },
    ])
  })

  test(`entries name the agent that acted for the actor, and are filtered by it over ${transport.label}`, async (t) => {
    const { people, workspace: workspace_id } = await createWorkspaceFixture(environment, transport)
    const [alone, byAgent] = [uuid(), uuid()] as const
    const [agent_id, delegation_id] = [randomUUID(), randomUUID()]
    const actor_id = people.viewer.id
    await insertEntries(workspace_id, [alone, byAgent], actor_id)
    await pool.query(
      `update activity set actor_type = 'user', agent_type = 'client', agent_id = $2, delegation_id = $3
       where id = $1`,
      [byAgent, agent_id, delegation_id],
    )
    const { token } = people.owner
    const readers = [
      (filter: object) => admin.call(transport, 'ListActivity', { workspace_id, ...filter }),
      (filter: object) =>
        transport.call('ListWorkspaceActivity', { workspace_id, ...filter }, { token }),
    ]
    for (const read of readers) {
      const list = async (filter: object): Promise<any[]> => expectOk(await read(filter)).items
      const [entry, ...more] = await list({ agent_id })
      t.deepEqual(more, [])
      t.like(entry, { id: byAgent, actor_id, actor_type: 'user' })
      t.like(entry, { agent_type: 'client', agent_id, delegation_id })
      t.deepEqual(await list({ agent_id: randomUUID() }), [])
      t.deepEqual(await list({ agent_id: actor_id }), [])
      t.deepEqual(
        (await list({ actor_id })).map(({ id }) => id),
        [byAgent, alone],
      )
      t.is((await list({ actor_id, agent_id })).length, 1)
      t.is((await list({ agent_id, action: 'workspace.deleted' })).length, 0)
      t.like(expectError(await read({ agent_id: 'x' })), { violations: [{ field: 'agent_id' }] })
    }
  })

  test(`entries are filtered by action, actor, workspace and target type over ${transport.label}`, async (t) => {
    const [workspace_id, actor_id] = [randomUUID(), randomUUID()]
    await fill(workspace_id, 4, actor_id)
    const count = async (filter: object) => {
      const { items } = expectOk(
        await admin.call(transport, 'ListActivity', { workspace_id, ...filter }),
      )
      return items.length
    }
    t.is(await count({}), 4)
    t.is(await count({ action: 'group.created' }), 2)
    t.is(await count({ target_type: 'user' }), 2)
    t.is(await count({ actor_id }), 4)
    t.is(await count({ actor_id: randomUUID() }), 0)
    t.is(await count({ before: '00000000-0000-0000-0000-000000000000' }), 0)
    const { items } = expectOk(
      await admin.call(transport, 'ListActivity', { workspace_id, limit: 1 }),
    )
    t.like(items[0], { action: 'group.created', workspace_id, actor_id, detail: { name: '=1+1' } })
    t.false(Number.isNaN(Date.parse(items[0].created_at)))
  })

  test(`an unknown filter value returns an error that names the field over ${transport.label}`, async (t) => {
    const invalid = { action: 'x', target_type: 'y', limit: 50 }
    const { violations } = expectError(await admin.call(transport, 'ListActivity', invalid))
    t.deepEqual(violations.map(({ field }) => field).sort(), ['action', 'target_type'])
    const invalidFilters = { before: 'x', actor_id: 'y', limit: 201 }
    const { code, violations: more } = expectError(
      await admin.call(transport, 'ListActivity', invalidFilters),
    )
    t.is(code, 'invalid_argument')
    t.deepEqual(more.map(({ field }) => field).sort(), ['actor_id', 'before', 'limit'])
    for (const limit of [0, -1, 201]) {
      const { violations } = expectError(await admin.call(transport, 'ListActivity', { limit }))
      t.deepEqual(
        violations.map(({ field }) => field),
        ['limit'],
      )
    }
  })
}
