// Threats: an administrator who is made without being asked for, and one who cannot be removed.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { listActivity } from '../support/activity.ts'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
const { pool, seed } = environment
test.after.always(() => environment.stop())

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test.serial(
    `an administrator promotes and demotes a user, whose tokens end at once ${over}`,
    async (t) => {
      const alice = await createAdmin(environment)
      const bob = await seed.user('bob')
      const set = (is_admin: boolean) =>
        alice.call(transport, 'SetAdministrator', { user_id: bob, is_admin })
      t.true(expectOk(await set(true)).is_admin)
      const jti = randomUUID()
      const profile = { sub: bob, jti, email: 'bob@example.com', name: 'bob' }
      const admin = await environment.app.tokens.sign(
        'admin_access',
        { ...profile, admin: true },
        900,
      )
      await pool.query(
        "insert into admin_tokens (token_id, user_id, expires_at) values ($1, $2, now() + interval '1 hour')",
        [jti, bob],
      )
      const asBob = () => transport.call('GetStats', {}, { admin })
      expectOk(await asBob())
      t.true(expectOk(await set(true)).is_admin, 'twice is the same as once')
      t.false(expectOk(await set(false)).is_admin)
      t.is(expectError(await asBob()).code, 'unauthenticated')
      expectOk(await set(true))
      t.is(expectError(await asBob()).code, 'unauthenticated', 'a revoked token stays revoked')
      const { rows } = await pool.query('select email from users where id = $1', [bob])
      const detail = { email: rows[0].email, by: 'console' }
      const events = (await listActivity(pool, bob)).map((entry) => [entry.action, entry.detail])
      t.deepEqual(events, [
        ['user.promoted', detail],
        ['user.demoted', detail],
        ['user.promoted', detail],
      ])
    },
  )

  test.serial(
    `a demoted address of ADMIN_EMAILS stays demoted, and nobody demotes themselves ${over}`,
    async (t) => {
      const [alice, bob] = [await createAdmin(environment), await createAdmin(environment)]
      const own = { user_id: alice.id, is_admin: false }
      t.is(expectError(await alice.call(transport, 'SetAdministrator', own)).reason, 'OWN_ACCOUNT')
      expectOk(
        await alice.call(transport, 'SetAdministrator', { user_id: bob.id, is_admin: false }),
      )
      const sql = 'select is_admin, admin_revoked from users where id = $1'
      t.deepEqual((await pool.query(sql, [bob.id])).rows, [
        { is_admin: false, admin_revoked: true },
      ])
    },
  )

  test.serial(`service accounts and unknown users are not found ${over}`, async (t) => {
    const alice = await createAdmin(environment)
    const workspace_id = await seed.workspace()
    const message = { workspace_id, name: 'deploy', role: 'viewer' }
    const account = expectOk(await alice.call(transport, 'CreateServiceAccount', message))
    for (const user_id of [randomUUID(), account.id]) {
      const outcome = await alice.call(transport, 'SetAdministrator', { user_id, is_admin: true })
      t.is(expectError(outcome).reason, 'USER_NOT_FOUND')
    }
  })

  test.serial(
    `when two administrators demote each other concurrently, one remains ${over}`,
    async (t) => {
      for (let round = 0; round < 10; round += 1) {
        const [one, other] = [await createAdmin(environment), await createAdmin(environment)]
        const is_admin = false
        const outcomes = await Promise.all([
          one.call(transport, 'SetAdministrator', { user_id: other.id, is_admin }),
          other.call(transport, 'SetAdministrator', { user_id: one.id, is_admin }),
        ])
        t.is(outcomes.filter(({ ok }) => ok).length, 1)
        const sql = 'select id from users where id in ($1, $2) and is_admin'
        t.is((await pool.query(sql, [one.id, other.id])).rows.length, 1)
      }
    },
  )
}

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
