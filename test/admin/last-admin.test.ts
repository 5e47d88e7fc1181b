import test from 'ava'
import { hireAdmin } from '../support/admin.ts'
import { refused } from '../support/ending.ts'
import { startWorld } from '../support/world.ts'

const world = await startWorld()
test.after.always(() => world.stop())

for (const door of world.doors) {
  test(`of two administrators who deactivate each other at once one stays, through ${door.name}`, async (t) => {
    // A third one makes no difference.
    await hireAdmin(world)
    for (let round = 0; round < 20; round += 1) {
      const [one, other] = [await hireAdmin(world), await hireAdmin(world)]
      const is_active = false
      const endings = await Promise.all([
        one.call(door, 'UpdateUser', { user_id: other.id, is_active }),
        other.call(door, 'UpdateUser', { user_id: one.id, is_active }),
      ])
      const lost = endings.filter(({ ok }) => !ok).map((ending) => refused(ending).reason)
      t.deepEqual(lost, ['USER_INACTIVE'])
      const sql = 'select id from users where id in ($1, $2) and is_active'
      t.is((await world.pool.query(sql, [one.id, other.id])).rows.length, 1)
    }
  })
}

test.after('nothing of it was a fault of ours', (t) => t.deepEqual(world.failures, []))
