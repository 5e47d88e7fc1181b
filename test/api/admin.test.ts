import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createAdmin } from '../support/admin.ts'
import { expectError } from '../support/outcome.ts'
import { createRequestFixture, methodName, normalizeOutcome } from '../support/request-fixture.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

/** Every method under /admin. */
const swept = environment.app.operations.filter(({ service }) => service === 'AdminService')

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
for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  // What is refused leaves them as they are.
  const refusals = (async () => {
    return {
      grounds: await createRequestFixture(environment, transport),
      admin: await createAdmin(environment),
    }
  })()

  for (const operation of swept) {
    const { policy, route } = operation
    const method = methodName(operation)

    test.serial(`${method} is for who is an administrator now ${over}`, async (t) => {
      // So does what only looks.
      const grounds = policy.safe
        ? (await refusals).grounds
        : await createRequestFixture(environment, transport)
      const admin = await createAdmin(environment)
      const message = grounds.message(operation)
      const deeds = async () => {
        const sql = 'select 1 from activity where actor_id = $1'
        return (await environment.pool.query(sql, [admin.id])).rows.length
      }
      const set = (column: string, value: boolean) =>
        environment.pool.query(`update users set ${column} = $1 where id = $2`, [value, admin.id])
      const call = () => admin.call(transport, method, message)

      await set('is_admin', false)
      t.like(expectError(await call()), { code: 'permission_denied', reason: 'NOT_ADMIN' })
      await set('is_admin', true)
      await set('is_active', false)
      t.like(expectError(await call()), { code: 'unauthenticated', reason: 'USER_INACTIVE' })
      await set('is_active', true)
      const { token } = grounds.fixture.people.owner
      for (const shown of [{ token }, { admin: token }, { token: admin.token }])
        t.is(
          expectError(await transport.call(operation.name, message, shown)).code,
          'unauthenticated',
        )
      if (transport.name === 'rest' && !policy.safe) {
        for (const headers of otherSites) {
          const ending = await transport.call(operation.name, message, {
            admin: admin.token,
            headers,
          })
          t.like(expectError(ending), { code: 'permission_denied', reason: 'ORIGIN_REFUSED' })
        }
      }
      t.is(await deeds(), 0)

      const ending = await call()
      t.true(ending.ok, normalizeOutcome(ending))
      if (ending.ok && transport.name === 'rest') t.is(ending.status, policy.status)
    })

    if (route.pathFields.length === 0) continue
    test.serial(
      `${method} answers 404 for ids that are nowhere, 422 for what is none ${over}`,
      async (t) => {
        const { grounds, admin } = await refusals
        for (const field of route.pathFields) {
          const message = grounds.message(operation)
          const nowhere = await admin.call(transport, method, { ...message, [field]: randomUUID() })
          t.is(expectError(nowhere).code, 'not_found', field)
          const { code, violations } = expectError(
            await admin.call(transport, method, { ...message, [field]: 'x' }),
          )
          t.is(code, 'invalid_argument')
          t.deepEqual(violations, [{ field, message: 'must be a UUID' }])
        }
      },
    )
  }
}

test.after('nothing of it was a fault of ours', (t) => t.deepEqual(environment.failures, []))
