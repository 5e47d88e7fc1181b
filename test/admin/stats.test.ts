import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createAdmin } from '../support/admin.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { pool, seed } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

type Stats = Record<string, any>

async function getStats(transport: Transport): Promise<Stats> {
  return expectOk(await admin.call(transport, 'GetStats'))
}

for (const transport of environment.transports) {
  const through = `over ${transport.label}`

  test.serial(`the totals count all current objects and active users ${through}`, async (t) => {
    const before = await getStats(transport)
    const fixture = await createWorkspaceFixture(environment, transport)
    await seed.user(randomUUID(), { is_active: false })
    await seed.group(fixture.workspace)
    await fixture.register(fixture.people.owner)
    await fixture.register(fixture.people.owner, { visibility: 'workspace' })
    const after = await getStats(transport)
    const increases = Object.entries(after)
      .filter(([name]) => /^(total|active)_/.test(name))
      .map(([name, total]) => [name, total - before[name]])
    t.deepEqual(Object.fromEntries(increases), {
      total_users: 5,
      active_users: 4,
      total_workspaces: 1,
      total_groups: 1,
      total_resources: 2,
    })
  })

  test.serial(
    `the twenty workspaces with the most members are listed with their sizes ${through}`,
    async (t) => {
      const people = await Promise.all(Array.from({ length: 9 }, () => seed.user()))
      const expected: Stats[] = []
      for (let index = 0; index < 22; index += 1) {
        const workspace_id = await seed.workspace(`size ${index}`)
        const members = index < 2 ? 0 : 5 + (index % 5)
        for (const person of people.slice(0, members)) await seed.member(workspace_id, person)
        if (index % 2) await seed.group(workspace_id)
        const sizes = { members, groups: index % 2, resources: 0 }
        expected.push({ workspace_id, name: `size ${index}`, ...sizes })
      }
      const order = (a: Stats, b: Stats) =>
        b.members - a.members || (a.workspace_id < b.workspace_id ? -1 : 1)
      const { workspace_distribution: distribution } = await getStats(transport)
      t.deepEqual(distribution, distribution.toSorted(order))
      t.is(distribution.length, 20)
      const largest = expected.filter(({ members }) => members > 6).toSorted(order)
      const own = new Set(expected.map(({ workspace_id }) => workspace_id))
      const found = distribution.filter(
        (row: Stats) => own.has(row.workspace_id) && row.members > 6,
      )
      t.deepEqual(found, largest)
      await pool.query('delete from workspaces where id = any($1)', [[...own]])
    },
  )

  test.serial(`sign-ups are counted by UTC day for the last thirty days ${through}`, async (t) => {
    t.teardown(() => {
      environment.clock.now = undefined
    })
    // Later than every other row that this file creates.
    environment.clock.now = new Date('2020-03-01T00:30:00Z')
    const creations = ['2020-01-31T23:59:59Z', '2020-02-01T00:00:00Z', '2020-02-29T23:59:59Z']
      .concat(['2020-02-29T12:00:00Z', '2020-03-01T00:00:00Z', '2020-03-02T00:00:00Z'])
      .map((created_at) => seed.user(randomUUID(), { created_at }))
    const users = await Promise.all(creations)
    const admin = await createAdmin(environment)
    const { signups_by_day: days } = expectOk(await admin.call(transport, 'GetStats'))
    t.is(days.length, 30)
    t.deepEqual(days[0], { day: '2020-02-01', count: 1 })
    t.deepEqual(days.slice(-2), [
      { day: '2020-02-29', count: 2 },
      { day: '2020-03-01', count: 1 },
    ])
    t.is(
      days.reduce((sum: number, { count }: Stats) => sum + count, 0),
      4,
    )
    await pool.query('delete from users where id = any($1)', [users])
  })

  test.serial(`the ten newest entries are listed as in the log ${through}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { workspace: workspace_id, people } = fixture
    for (let index = 0; index < 12; index += 1)
      expectOk(
        await transport.call(
          'CreateGroup',
          { workspace_id, name: `g${index}` },
          { token: people.admin.token },
        ),
      )
    const { recent_activity } = await getStats(transport)
    const { items } = expectOk(await admin.call(transport, 'ListActivity', { limit: 10 }))
    t.deepEqual(recent_activity, items)
    t.is(recent_activity.length, 10)
    t.like(recent_activity[0], { action: 'group.created', detail: { name: 'g11' } })
  })
}

test.serial('both transports return the same statistics', async (t) => {
  const [one, other] = await Promise.all(environment.transports.map(getStats))
  // An absent field is null in JSON.
  const dropNulls = (value: unknown) =>
    JSON.parse(JSON.stringify(value), (_, field) => field ?? undefined)
  t.deepEqual(dropNulls(one), dropNulls(other))
})
