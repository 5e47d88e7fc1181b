import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'

const environment = await startTestEnvironment()
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

const warning =
  'No service app is active. Development mode: requests are accepted with any service key, or none'

/** Returns the warnings since the last call. */
const takeWarnings = ({ warnings }: { warnings: string[] } = environment) => warnings.splice(0)

for (const transport of environment.transports) {
  const through = `over ${transport.label}`
  const call = (method: string, message: object = {}) => admin.call(transport, method, message)
  const make = async () =>
    expectOk(await call('CreateServiceApp', { name: 'x', service_name: 'x' })).id as string
  const getResource = async (nodeTransport: Transport = transport) => {
    const message = { service_name: 'x', resource_type: 'x', resource_id: randomUUID() }
    return expectError(await nodeTransport.call('GetResource', message)).code
  }

  test.serial(
    `without an active app, no key is required and a warning is logged ${through}`,
    async (t) => {
      t.is(await getResource(), 'not_found')
      const [first, second] = [await make(), await make()]
      t.is(await getResource(), 'unauthenticated')
      expectOk(await call('UpdateServiceApp', { service_app_id: first, is_active: false }))
      t.deepEqual(takeWarnings(), [])
      const last = { service_app_id: second, is_active: false }
      const refused = expectError(await call('UpdateServiceApp', last))
      t.like(refused, { code: 'already_exists', reason: 'LAST_SERVICE_APP' })
      t.regex(refused.detail, /last active service app.*development mode.*force/)
      t.is(await getResource(), 'unauthenticated')
      expectOk(await call('UpdateServiceApp', { ...last, force: true }))
      t.deepEqual(takeWarnings(), [warning])
      t.is(await getResource(), 'not_found')
      expectOk(await call('UpdateServiceApp', { service_app_id: first, is_active: true }))
      t.deepEqual(takeWarnings(), [])
      t.is(await getResource(), 'unauthenticated')
      const request = { service_app_id: first }
      t.is(expectError(await call('DeleteServiceApp', request)).reason, 'LAST_SERVICE_APP')
      expectOk(await call('DeleteServiceApp', { ...request, force: true }))
      t.deepEqual(takeWarnings(), [warning])
      t.is(await getResource(), 'not_found')
      // An inactive app is never the last active one.
      expectOk(await call('DeleteServiceApp', { service_app_id: second }))
      t.deepEqual(takeWarnings(), [])
    },
  )

  test.serial(
    `concurrent calls without force deactivate only one of the last two apps ${through}`,
    async (t) => {
      const apps = [await make(), await make()]
      const outcomes = await Promise.all(
        apps.map((service_app_id) =>
          call('UpdateServiceApp', { service_app_id, is_active: false }),
        ),
      )
      t.deepEqual(outcomes.map(({ ok }) => ok).toSorted(), [false, true])
      t.deepEqual(takeWarnings(), [])
      for (const service_app_id of apps)
        expectOk(await call('DeleteServiceApp', { service_app_id, force: true }))
      t.deepEqual(takeWarnings(), [warning])
    },
  )

  test.serial(
    `SERVICE_KEYS_REQUIRED disables development mode and its warning ${through}`,
    async (t) => {
      const strict = await environment.addNode({ SERVICE_KEYS_REQUIRED: true })
      const strictTransport = strict.transports.find(
        ({ name }) => name === transport.name,
      ) as Transport
      const service_app_id = await make()
      expectOk(
        await admin.call(strictTransport, 'UpdateServiceApp', {
          service_app_id,
          is_active: false,
          force: true,
        }),
      )
      t.deepEqual(takeWarnings(strict), [])
      t.is(await getResource(strictTransport), 'unauthenticated')
    },
  )
}
