import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createAdmin } from '../support/admin.ts'
import { expectError } from '../support/outcome.ts'
import { createRequestFixture, methodName } from '../support/request-fixture.ts'
import { createSignInEnvironment } from '../support/sign-in.ts'
import { normalizeOutcome } from '../support/snapshots.ts'

const environment = await createSignInEnvironment()
test.after.always(() => environment.stop())

const adminOperations = environment.app.operations.filter(
  ({ service }) => service === 'AdminService',
)

/** Headers of requests that carry the admin cookie but come from another origin. */
const otherSites: Record<string, string>[] = [
  { origin: '' },
  { origin: 'null' },
  { origin: 'http://localhost:3000' },
  { origin: 'http://localhost:9004.evil.example' },
  { origin: 'http://evil.example', 'sec-fetch-site': 'same-origin' },
]

test('every method of AdminService requires an administrator', (t) => {
  t.true(adminOperations.length >= 20)
  for (const { name, policy, route } of adminOperations) {
    t.is(policy.tier, 'admin', name)
    t.true(route.path.startsWith('/admin/'), name)
  }
})

// Serial: in parallel, calls would wait for a connection longer than their deadline.
for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  // Rejected calls leave the fixture unchanged, so it can be shared.
  const rejectedCalls = (async () => {
    return {
      requests: await createRequestFixture(environment, transport),
      admin: await createAdmin(environment),
    }
  })()

  for (const operation of adminOperations) {
    const { policy, route } = operation
    const method = methodName(operation)

    test.serial(
      `${method} requires a current, active administrator and the console’s origin ${over}`,
      async (t) => {
        // Read-only methods leave the fixture unchanged as well.
        const requests = policy.safe
          ? (await rejectedCalls).requests
          : await createRequestFixture(environment, transport)
        const admin = await createAdmin(environment)
        const message = requests.message(operation)
        const countActivity = async () => {
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
        const { token } = requests.fixture.people.owner
        for (const credentials of [{ token }, { admin: token }, { token: admin.token }])
          t.is(
            expectError(await transport.call(operation.name, message, credentials)).code,
            'unauthenticated',
          )
        if (transport.name === 'rest' && !policy.safe) {
          for (const headers of otherSites) {
            const outcome = await transport.call(operation.name, message, {
              admin: admin.token,
              headers,
            })
            t.like(expectError(outcome), { code: 'permission_denied', reason: 'ORIGIN_REFUSED' })
          }
        }
        t.is(await countActivity(), 0)

        const outcome = await call()
        t.true(outcome.ok, normalizeOutcome(outcome))
        if (outcome.ok && transport.name === 'rest') t.is(outcome.status, policy.status)
      },
    )

    const ids = route.pathFields.filter((field) => field.endsWith('_id'))
    if (ids.length === 0) continue
    test.serial(
      `${method} returns 404 for unknown IDs and 422 for malformed ones ${over}`,
      async (t) => {
        const { requests, admin } = await rejectedCalls
        for (const field of ids) {
          const message = requests.message(operation)
          const missing = await admin.call(transport, method, { ...message, [field]: randomUUID() })
          t.is(expectError(missing).code, 'not_found', field)
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

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
