import test from 'ava'
import { createAdmin } from '../support/admin.ts'
import { expectError } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

for (const transport of environment.transports) {
  test(`when two administrators deactivate each other concurrently, one remains active over ${transport.label}`, async (t) => {
    // The outcome is the same with a third administrator.
    await createAdmin(environment)
    for (let round = 0; round < 20; round += 1) {
      const [one, other] = [await createAdmin(environment), await createAdmin(environment)]
      const is_active = false
      const outcomes = await Promise.all([
        one.call(transport, 'UpdateUser', { user_id: other.id, is_active }),
        other.call(transport, 'UpdateUser', { user_id: one.id, is_active }),
      ])
      const failures = outcomes
        .filter(({ ok }) => !ok)
        .map((outcome) => expectError(outcome).reason)
      t.deepEqual(failures, ['USER_INACTIVE'])
      const sql = 'select id from users where id in ($1, $2) and is_active'
      t.is((await environment.pool.query(sql, [one.id, other.id])).rows.length, 1)
    }
  })
}

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
