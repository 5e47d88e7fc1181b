import test from 'ava'
import { createAdmin } from '../support/admin.ts'
import { waitUntilBlocked } from '../support/lock-waits.ts'
import { findNestedGroupErrors } from '../support/nested-groups.ts'
import { expectOk } from '../support/outcome.ts'
import type { Node } from '../support/test-environment.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { type Outcome, repeatLockTimeouts, type Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const other = await environment.addNode()
const { pool, seed } = environment
test.after.always(() => environment.stop())

/** A reproducible sequence of numbers from 0 to `count` - 1 (mulberry32). */
function createRandom(seedValue: number): (count: number) => number {
  let state = seedValue
  return (count) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count
  }
}

/** A workspace with groups and users, and a function that changes something at random. */
async function createWorld(transports: Transport[], randomSeed: number, groupCount: number) {
  const random = createRandom(randomSeed)
  const [transport] = transports as [Transport]
  const fixture = await createWorkspaceFixture(environment, transport)
  const { workspace, people } = fixture
  const admin = await createAdmin(environment)
  const users = await Promise.all(Array.from({ length: 6 }, () => seed.newMember(workspace)))
  const groups = await Promise.all(Array.from({ length: groupCount }, () => seed.group(workspace)))
  const pick = <Item>(items: Item[]): Item => items[random(items.length)] as Item
  const call = (method: string, message: object) =>
    pick(transports).call(
      method,
      { workspace_id: workspace, ...message },
      { token: people.admin.token },
    )
  const changes: [weight: number, change: () => Promise<Outcome>][] = [
    [8, () => call('AddChildGroup', { group_id: pick(groups), child_id: pick(groups) })],
    [5, () => call('RemoveChildGroup', { group_id: pick(groups), child_id: pick(groups) })],
    [8, () => call('AddGroupMember', { group_id: pick(groups), user_id: pick(users) })],
    [8, () => call('RemoveGroupMember', { group_id: pick(groups), user_id: pick(users) })],
    [1, () => replaceGroup()],
    [1, () => rejoin()],
    [1, () => importMember()],
  ]
  const weighted = changes.flatMap(([weight, change]) => Array<typeof change>(weight).fill(change))

  async function replaceGroup() {
    const index = random(groups.length)
    const group_id = groups[index] as string
    groups[index] = await seed.group(workspace)
    return call('DeleteGroup', { group_id })
  }

  async function rejoin() {
    const user_id = pick(users)
    const outcome = await call('RemoveMember', { user_id })
    if (outcome.ok) await seed.member(workspace, user_id)
    return outcome
  }

  async function importMember() {
    const { rows } = await pool.query(
      `select u.email, w.slug, (select name from groups where id = $3) as name
       from users u, workspaces w where u.id = $1 and w.id = $2`,
      [pick(users), workspace, pick(groups)],
    )
    const { email, slug, name } = rows[0]
    const csv = `email,workspace_slug,groups\n${email},${slug},${name ?? ''}\n`
    return transport.call('ExecuteCsvImport', { csv }, { admin: admin.token })
  }

  return {
    workspace,
    change: () => pick(weighted)(),
    findErrors: () => findNestedGroupErrors(pool, workspace),
  }
}

/** Errors that a request may return when concurrent requests change the same objects. */
const expectedCodes = ['not_found', 'already_exists', 'invalid_argument']

test('after every random change, a group inherits exactly the members of its descendants', async (t) => {
  for (const transport of environment.transports) {
    const world = await createWorld([repeatLockTimeouts(transport)], 7, 7)
    let changed = 0
    for (let step = 0; step < 400; step += 1) {
      const outcome = await world.change()
      if (outcome.ok) changed += 1
      else t.true(expectedCodes.includes(outcome.code), outcome.code)
      if (step % 4 === 0) t.deepEqual(await world.findErrors(), [], `step ${step}`)
    }
    t.deepEqual(await world.findErrors(), [])
    t.true(changed > 100)
  }
})

test('after concurrent random changes on two nodes, a group inherits exactly the members of its descendants', async (t) => {
  const nodes: Node[] = [environment, other]
  const transports = nodes.flatMap((node) => node.transports).map(repeatLockTimeouts)
  const codes: Record<string, number> = {}
  for (let round = 0; round < 12; round += 1) {
    const world = await createWorld(transports, 100 + round, 4 + (round % 4))
    for (let burst = 0; burst < 4; burst += 1) {
      const outcomes = await Promise.all(Array.from({ length: 12 }, () => world.change()))
      for (const outcome of outcomes) {
        const code = outcome.ok ? 'ok' : outcome.code
        codes[code] = (codes[code] ?? 0) + 1
      }
      t.deepEqual(await world.findErrors(), [], `round ${round}, burst ${burst}`)
    }
  }
  t.log(codes)
  const { rows } = await pool.query(
    'select deadlocks::int from pg_stat_database where datname = current_database()',
  )
  t.log(rows[0])
  t.true((codes.ok ?? 0) > 100)
  const unexpected = Object.keys(codes).filter((code) => ![...expectedCodes, 'ok'].includes(code))
  t.deepEqual(unexpected, [])
})

const memberChanges = {
  AddGroupMember: { members: [], left: 1 },
  RemoveGroupMember: { members: ['viewer'], left: 0 },
  DeleteGroup: { members: ['viewer'], left: 0 },
} as const

for (const [method, { members, left }] of Object.entries(memberChanges)) {
  test.serial(
    `${method} detects a parent that another transaction adds concurrently`,
    async (t) => {
      const [transport] = environment.transports as [Transport]
      const { workspace, people } = await createWorkspaceFixture(environment, transport)
      const child = await seed.group(
        workspace,
        members.map((role) => people[role].id),
      )
      const parent = await seed.group(workspace)
      const client = await pool.connect()
      try {
        await client.query('begin')
        await client.query('select from groups where id = $1 for update', [child])
        const message = { workspace_id: workspace, group_id: child }
        const user = method === 'DeleteGroup' ? {} : { user_id: people.viewer.id }
        const { token } = people.admin
        const change = transport.call(method, { ...message, ...user }, { token })
        await waitUntilBlocked(pool)
        await client.query(
          'insert into group_parents (parent_id, child_id, workspace_id) values ($1, $2, $3)',
          [parent, child, workspace],
        )
        await client.query(
          `insert into group_members (group_id, user_id, workspace_id, is_direct)
         select $1, user_id, workspace_id, false from group_members where group_id = $2`,
          [parent, child],
        )
        await client.query('commit')
        expectOk(await change)
      } finally {
        client.release()
      }
      const inherited = 'select from group_members where group_id = $1'
      t.is((await pool.query(inherited, [parent])).rowCount, left)
      t.deepEqual(await findNestedGroupErrors(pool, workspace), [])
    },
  )
}

test('a member who is removed from a deep child loses access on the other node at once', async (t) => {
  const [transport] = environment.transports as [Transport]
  const fixture = await createWorkspaceFixture(environment, transport)
  const { workspace, people, as, kind } = fixture
  const groups = await Promise.all(Array.from({ length: 16 }, () => seed.group(workspace)))
  const [top, bottom] = [groups[0] as string, groups[15] as string]
  const call = (node: Node, method: string, message: object) =>
    (node.transports[1] as Transport).call(
      method,
      { workspace_id: workspace, ...message },
      { token: people.admin.token },
    )
  for (const [index, child_id] of groups.slice(1).entries())
    expectOk(await call(environment, 'AddChildGroup', { group_id: groups[index], child_id }))
  const record = await fixture.register(people.owner)
  await fixture.share(people.owner, record, { group: top }, 'view')
  const checks = [{ ...kind, resource_id: record.resource_id, action: 'view' }]
  const member = { group_id: bottom, user_id: people.viewer.id }
  const link = { group_id: groups[7], child_id: groups[8] }
  for (let round = 0; round < 40; round += 1) {
    const [writer, reader] = round % 2 === 0 ? [environment, other] : [other, environment]
    const checker = reader.transports[round % 4 < 2 ? 0 : 1] as Transport
    const isAllowed = async () =>
      expectOk(await checker.call('Check', { checks }, as(people.viewer))).results[0].allowed
    expectOk(await call(writer, 'AddGroupMember', member))
    t.true(await isAllowed(), `round ${round}`)
    if (round % 3 === 0) {
      expectOk(await call(writer, 'RemoveChildGroup', link))
      t.false(await isAllowed(), `round ${round}`)
      expectOk(await call(writer, 'AddChildGroup', link))
      t.true(await isAllowed(), `round ${round}`)
    }
    expectOk(await call(writer, 'RemoveGroupMember', member))
    t.false(await isAllowed(), `round ${round}`)
  }
})

test.serial('1,000 members below 16 groups are added and cut off in bounded time', async (t) => {
  const [transport] = environment.transports as [Transport]
  const fixture = await createWorkspaceFixture(environment, transport)
  const { workspace, people } = fixture
  await pool.query(
    `with new_users as (
       insert into users (id, email)
       select id, id || '@example.com' from (
         select gen_random_uuid() as id from generate_series(1, 1000)) ids returning id
     )
     insert into members (user_id, workspace_id, role, joined_at)
     select id, $1, 'viewer', now() from new_users`,
    [workspace],
  )
  const groups = await Promise.all(Array.from({ length: 16 }, () => seed.group(workspace)))
  const bottom = groups[15] as string
  await pool.query(
    `insert into group_members (group_id, user_id, workspace_id)
     select $1, user_id, workspace_id from members where workspace_id = $2 and user_id <> $3`,
    [bottom, workspace, people.viewer.id],
  )
  const timed = async (method: string, message: object) => {
    const start = performance.now()
    const credentials = { token: people.admin.token }
    const outcome = await transport.call(
      method,
      { workspace_id: workspace, ...message },
      credentials,
    )
    const elapsed = performance.now() - start
    t.log(`${method}: ${elapsed.toFixed(0)} ms`)
    t.true(elapsed < 20_000, method)
    return expectOk(outcome)
  }
  const link = (index: number) => ({ group_id: groups[index], child_id: groups[index + 1] })
  for (let index = 0; index < 14; index += 1)
    expectOk(
      await transport.call(
        'AddChildGroup',
        { workspace_id: workspace, ...link(index) },
        { token: people.admin.token },
      ),
    )
  await timed('AddChildGroup', link(14))
  await timed('RemoveChildGroup', link(7))
  await timed('AddChildGroup', link(7))
  await timed('AddGroupMember', { group_id: bottom, user_id: people.viewer.id })
  const { members } = await timed('ListGroupMembers', { group_id: groups[0], effective: true })
  t.is(members.length, 1004)
  await timed('RemoveGroupMember', { group_id: bottom, user_id: people.viewer.id })
  t.deepEqual(await findNestedGroupErrors(pool, workspace), [])
  await timed('DeleteGroup', { group_id: groups[3] })
  t.deepEqual(await findNestedGroupErrors(pool, workspace), [])
})
