import test from 'ava'
import { createAdmin } from '../support/admin.ts'
import { expectError } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

for (const transport of environment.transports) {
  test(`of two administrators who deactivate each other concurrently, one remains active over ${transport.label}`, async (t) => {
    // A third administrator makes no difference.
    await createAdmin(environment)
    for (let round = 0; round < 20; round += 1) {
      const [one, other] = [await createAdmin(environment), await createAdmin(environment)]
      const is_active = false
      const outcomes = await Promise.all([
        one.call(transport, 'UpdateUser', { user_id: other.id, is_active }),
        other.call(transport, 'UpdateUser', { user_id: one.id, is_active }),
      ])
      const lost = outcomes.filter(({ ok }) => !ok).map((outcome) => expectError(outcome).reason)
      t.deepEqual(lost, ['USER_INACTIVE'])
      const sql = 'select id from users where id in ($1, $2) and is_active'
      t.is((await environment.pool.query(sql, [one.id, other.id])).rows.length, 1)
    }
  })
}

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
