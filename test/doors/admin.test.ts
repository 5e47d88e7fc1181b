import { randomUUID } from 'node:crypto'
import test from 'ava'
import { hireAdmin } from '../support/admin.ts'
import { refused } from '../support/ending.ts'
import { layGrounds, nameOf, plain } from '../support/sweep.ts'
import { startWorld } from '../support/world.ts'

const world = await startWorld()
test.after.always(() => world.stop())

/** Every method under /admin. */
const swept = world.app.operations.filter(({ service }) => service === 'AdminService')

/** Pages that a browser sends the admin cookie for, but that may not act with it. */
const otherSites: Record<string, string>[] = [
  { origin: '' },
  { origin: 'null' },
  { origin: 'http://localhost:3000' },
  { origin: 'http://localhost:9004.evil.example' },
  { origin: 'http://evil.example', 'sec-fetch-site': 'same-origin' },
]

test('there is something to sweep, and all of it is an administrator’s', (t) => {
  t.true(swept.length >= 20)
  for (const { name, policy, route } of swept) {
    t.is(policy.tier, 'admin', name)
    t.true(route.path.startsWith('/admin/'), name)
  }
})

// One after the other: all at once they would wait for connections longer than a call may.
for (const door of world.doors) {
  const through = `through ${door.name}`
  // What is refused leaves them as they are.
  const refusals = (async () => {
    return { grounds: await layGrounds(world, door), boss: await hireAdmin(world) }
  })()

  for (const operation of swept) {
    const { policy, route } = operation
    const method = nameOf(operation)

    test.serial(`${method} is for who is an administrator now ${through}`, async (t) => {
      // So does what only looks.
      const grounds = policy.safe ? (await refusals).grounds : await layGrounds(world, door)
      const boss = await hireAdmin(world)
      const message = grounds.message(operation)
      const deeds = async () => {
        const sql = 'select 1 from activity where actor_id = $1'
        return (await world.pool.query(sql, [boss.id])).rows.length
      }
      const set = (column: string, value: boolean) =>
        world.pool.query(`update users set ${column} = $1 where id = $2`, [value, boss.id])
      const call = () => boss.call(door, method, message)

      await set('is_admin', false)
      t.like(refused(await call()), { kind: 'forbidden', reason: 'NOT_ADMIN' })
      await set('is_admin', true)
      await set('is_active', false)
      t.like(refused(await call()), { kind: 'unauthenticated', reason: 'USER_INACTIVE' })
      await set('is_active', true)
      const { token } = grounds.office.staff.owner
      for (const shown of [{ token }, { admin: token }, { token: boss.admin }])
        t.is(refused(await door.call(operation.name, message, shown)).kind, 'unauthenticated')
      if (door.name === 'rest' && !policy.safe) {
        for (const headers of otherSites) {
          const ending = await door.call(operation.name, message, { admin: boss.admin, headers })
          t.like(refused(ending), { kind: 'forbidden', reason: 'ORIGIN_REFUSED' })
        }
      }
      t.is(await deeds(), 0)

      const ending = await call()
      t.true(ending.ok, plain(ending))
      if (ending.ok && door.name === 'rest') t.is(ending.status, policy.status)
    })

    if (route.pathFields.length === 0) continue
    test.serial(
      `${method} answers 404 for ids that are nowhere, 422 for what is none ${through}`,
      async (t) => {
        const { grounds, boss } = await refusals
        for (const field of route.pathFields) {
          const message = grounds.message(operation)
          const nowhere = await boss.call(door, method, { ...message, [field]: randomUUID() })
          t.is(refused(nowhere).kind, 'missing', field)
          const { kind, problems } = refused(
            await boss.call(door, method, { ...message, [field]: 'x' }),
          )
          t.is(kind, 'invalid')
          t.deepEqual(problems, [{ field, message: 'must be a UUID' }])
        }
      },
    )
  }
}

test.after('nothing of it was a fault of ours', (t) => t.deepEqual(world.failures, []))
