import { randomUUID } from 'node:crypto'
import test from 'ava'
import { hireAdmin } from '../support/admin.ts'
import type { Door } from '../support/doors.ts'
import { answered } from '../support/ending.ts'
import { openOffice } from '../support/office.ts'
import { startWorld } from '../support/world.ts'

const world = await startWorld()
const { pool, seed } = world
const boss = await hireAdmin(world)
test.after.always(() => world.stop())

type Figures = Record<string, any>

async function figures(door: Door): Promise<Figures> {
  return answered(await boss.call(door, 'GetStats'))
}

for (const door of world.doors) {
  const through = `through ${door.name}`

  test.serial(
    `the totals count everything there is now, and who is active ${through}`,
    async (t) => {
      const before = await figures(door)
      const office = await openOffice(world, door)
      await seed.user(randomUUID(), { is_active: false })
      await seed.group(office.workspace)
      await office.register(office.staff.owner)
      await office.register(office.staff.owner, { visibility: 'workspace' })
      const after = await figures(door)
      const grown = Object.entries(after)
        .filter(([name]) => /^(total|active)_/.test(name))
        .map(([name, total]) => [name, total - before[name]])
      t.deepEqual(Object.fromEntries(grown), {
        total_users: 5,
        active_users: 4,
        total_workspaces: 1,
        total_groups: 1,
        total_resources: 2,
      })
    },
  )

  test.serial(
    `the twenty workspaces of the most members come first, with their sizes ${through}`,
    async (t) => {
      const people = await Promise.all(Array.from({ length: 9 }, () => seed.user()))
      const expected: Figures[] = []
      for (let at = 0; at < 22; at += 1) {
        const workspace_id = await seed.workspace(`size ${at}`)
        const members = at < 2 ? 0 : 5 + (at % 5)
        for (const person of people.slice(0, members)) await seed.member(workspace_id, person)
        if (at % 2) await seed.group(workspace_id)
        const sizes = { members, groups: at % 2, resources: 0 }
        expected.push({ workspace_id, name: `size ${at}`, ...sizes })
      }
      const order = (a: Figures, b: Figures) =>
        b.members - a.members || (a.workspace_id < b.workspace_id ? -1 : 1)
      const { workspace_distribution: shown } = await figures(door)
      t.deepEqual(shown, shown.toSorted(order))
      t.is(shown.length, 20)
      const largest = expected.filter(({ members }) => members > 6).toSorted(order)
      const own = new Set(expected.map(({ workspace_id }) => workspace_id))
      const found = shown.filter((row: Figures) => own.has(row.workspace_id) && row.members > 6)
      t.deepEqual(found, largest)
      await pool.query('delete from workspaces where id = any($1)', [[...own]])
    },
  )

  test.serial(
    `sign-ups are counted by the days of UTC, the last thirty, today last ${through}`,
    async (t) => {
      t.teardown(() => {
        world.clock.now = undefined
      })
      // Beyond any real row of the file.
      world.clock.now = new Date('2020-03-01T00:30:00Z')
      const made = ['2020-01-31T23:59:59Z', '2020-02-01T00:00:00Z', '2020-02-29T23:59:59Z']
        .concat(['2020-02-29T12:00:00Z', '2020-03-01T00:00:00Z', '2020-03-02T00:00:00Z'])
        .map((created_at) => seed.user(randomUUID(), { created_at }))
      const users = await Promise.all(made)
      const boss = await hireAdmin(world)
      const { signups_by_day: days } = answered(await boss.call(door, 'GetStats'))
      t.is(days.length, 30)
      t.deepEqual(days[0], { day: '2020-02-01', count: 1 })
      t.deepEqual(days.slice(-2), [
        { day: '2020-02-29', count: 2 },
        { day: '2020-03-01', count: 1 },
      ])
      t.is(
        days.reduce((sum: number, { count }: Figures) => sum + count, 0),
        4,
      )
      await pool.query('delete from users where id = any($1)', [users])
    },
  )

  test.serial(`the newest ten entries stand there as in the log ${through}`, async (t) => {
    const office = await openOffice(world, door)
    const { workspace: workspace_id, staff } = office
    for (let at = 0; at < 12; at += 1)
      answered(
        await door.call(
          'CreateGroup',
          { workspace_id, name: `g${at}` },
          { token: staff.admin.token },
        ),
      )
    const { recent_activity } = await figures(door)
    const { items } = answered(await boss.call(door, 'ListActivity', { limit: 10 }))
    t.deepEqual(recent_activity, items)
    t.is(recent_activity.length, 10)
    t.like(recent_activity[0], { action: 'group.created', detail: { name: 'g11' } })
  })
}

test.serial('both doors tell the same', async (t) => {
  const [one, other] = await Promise.all(world.doors.map(figures))
  t.deepEqual(one, other)
})
