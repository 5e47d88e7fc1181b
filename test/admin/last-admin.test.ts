import test from 'ava'
import { hireAdmin } from '../support/admin.ts'
import { answered, refused } from '../support/ending.ts'
import { startWorld } from '../support/world.ts'

const world = await startWorld()
test.after.always(() => world.stop())

for (const door of world.doors) {
  for (const changes of [{ is_admin: false }, { is_active: false }]) {
    const what = Object.keys(changes)

    test.serial(
      `of two administrators who end each other's ${what} at once one stays, through ${door.name}`,
      async (t) => {
        for (let round = 0; round < 10; round += 1) {
          const [one, other] = [await hireAdmin(world), await hireAdmin(world)]
          const endings = await Promise.all([
            one.call(door, 'UpdateUser', { user_id: other.id, ...changes }),
            other.call(door, 'UpdateUser', { user_id: one.id, ...changes }),
          ])
          const won = endings.filter(({ ok }) => ok)
          t.is(won.length, 1)
          // The other came before it was ended, or after.
          const lost = refused(endings.find(({ ok }) => !ok) as (typeof endings)[0])
          t.true(['NOT_ADMIN', 'USER_INACTIVE'].includes(lost.reason), lost.reason)
          const sql = 'select id from users where id in ($1, $2) and is_admin and is_active'
          t.is((await world.pool.query(sql, [one.id, other.id])).rows.length, 1)
        }
      },
    )
  }

  test.serial(`with another left an administrator may go, through ${door.name}`, async (t) => {
    const [one, other] = [await hireAdmin(world), await hireAdmin(world)]
    const change = async (changes: object) =>
      answered(await one.call(door, 'UpdateUser', { user_id: other.id, ...changes }))
    t.like(await change({ is_active: false }), { is_active: false, is_admin: true })
    // Who is not active is not the last one.
    t.like(await change({ is_admin: false }), { is_active: false, is_admin: false })
  })
}

test.after('nothing of it was a fault of ours', (t) => t.deepEqual(world.failures, []))
