import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createServiceKey } from '../../src/identity/service-keys.ts'
import { createAdmin } from '../support/admin.ts'
import { expectOk } from '../support/outcome.ts'
import { startDatabaseProxy } from '../support/proxy.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'

const environment = await startTestEnvironment()
const other = await environment.addNode()
environment.clock.now = new Date('2026-11-21T12:34:56.789Z')
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

const setClock = (time: string) => {
  environment.clock.now = new Date(`2026-11-21T${time}Z`)
}

/** A service app with functions that use its keys and read its last use. */
async function createFixture(transport: Transport) {
  const service_name = `s-${randomUUID()}`
  const created = expectOk(
    await admin.call(transport, 'CreateServiceApp', { name: 'x', service_name }),
  )
  const app = { service_app_id: created.id as string }
  return {
    app,
    key: created.key as string,
    use: async (node: { transports: Transport[] }, key: string) => {
      const message = { service_name, resource_type: 't', resource_id: randomUUID() }
      const via = node.transports.find(({ name }) => name === transport.name) as Transport
      const outcome = await via.call('GetResource', message, { key })
      return outcome.ok || outcome.code
    },
    lastUsed: async () => {
      const { service_apps } = expectOk(await admin.call(transport, 'ListServiceApps'))
      const lastUsedAt = service_apps.find(({ id }: any) => id === created.id).last_used_at
      return lastUsedAt ? new Date(lastUsedAt).toISOString() : undefined
    },
  }
}

for (const transport of environment.transports) {
  const through = `over ${transport.label}`

  test.serial(
    `the last use of a key is reported to the minute once it is written ${through}`,
    async (t) => {
      const { use, key, lastUsed } = await createFixture(transport)
      setClock('12:34:56.789')
      t.is(await use(other, key), 'not_found')
      await environment.app.writeKeyUses()
      t.is(await lastUsed(), undefined, 'the other node knows of it')
      await other.app.writeKeyUses()
      t.is(await lastUsed(), '2026-11-21T12:34:00.000Z')
      await other.app.writeKeyUses()
      t.is(await lastUsed(), '2026-11-21T12:34:00.000Z')
    },
  )

  test.serial(
    `uses of every key of an app count; rejected keys do not count ${through}`,
    async (t) => {
      const { use, key, lastUsed, app } = await createFixture(transport)
      setClock('12:35:00')
      const rotated = await admin.call(transport, 'RotateServiceApp', {
        ...app,
        overlap_seconds: 0,
      })
      t.is(await use(environment, key), 'unauthenticated')
      await environment.app.writeKeyUses()
      t.is(await lastUsed(), undefined)
      t.is(await use(environment, expectOk(rotated).key), 'not_found')
      await environment.app.writeKeyUses()
      t.is(await lastUsed(), '2026-11-21T12:35:00.000Z')
    },
  )

  test.serial(
    `the latest use on two nodes is stored, whichever node writes last ${through}`,
    async (t) => {
      const { use, key, lastUsed } = await createFixture(transport)
      setClock('12:36:59')
      t.is(await use(environment, key), 'not_found')
      setClock('12:38:01')
      t.is(await use(other, key), 'not_found')
      await other.app.writeKeyUses()
      await environment.app.writeKeyUses()
      t.is(await lastUsed(), '2026-11-21T12:38:00.000Z')
    },
  )
}

for (const transport of environment.transports) {
  test.serial(
    `the use of an expired key is recorded once an hour over ${transport.label}`,
    async (t) => {
      const { use, key, app } = await createFixture(transport)
      const readEntries = async () => {
        const { rows } = await environment.pool.query(
          `select detail, request_id, ip, service_app_id, key_prefix from activity
         where target_id = $1 and action = 'service_app.ended_key_used' order by id`,
          [app.service_app_id],
        )
        return rows
      }
      const writeBoth = async () => {
        // The use of an unknown key is not recorded.
        t.is(await use(environment, createServiceKey()), 'unauthenticated')
        await Promise.all([environment.app.writeKeyUses(), other.app.writeKeyUses()])
      }
      const rotation = { ...app, overlap_seconds: 0 }
      const rotated = expectOk(await admin.call(transport, 'RotateServiceApp', rotation))
      for (let count = 0; count < 3; count += 1) {
        t.is(await use(environment, key), 'unauthenticated')
        t.is(await use(other, key), 'unauthenticated')
        await writeBoth()
      }
      const [first, ...more] = await readEntries()
      t.deepEqual(more, [])
      const { service_name, key_prefix, ...detail } = first.detail
      t.deepEqual(detail, { name: 'x', cause: 'expired' })
      t.is(key_prefix, key.slice(0, 10))
      t.is(first.key_prefix, key_prefix)
      t.is(first.service_app_id, app.service_app_id)
      t.truthy(first.request_id)
      t.truthy(first.ip)

      const inactive = { ...app, is_active: false, force: true }
      expectOk(await admin.call(transport, 'UpdateServiceApp', inactive))
      await environment.seed.serviceApp(`s-${randomUUID()}`)
      t.is(await use(environment, rotated.key), 'unauthenticated')
      await writeBoth()
      t.like((await readEntries())[1], {
        detail: { cause: 'deactivated', key_prefix: rotated.key.slice(0, 10) },
      })

      // An hour later, another use is recorded again.
      await environment.pool.query(
        `update activity set created_at = created_at - interval '61 minutes' where target_id = $1`,
        [app.service_app_id],
      )
      t.is(await use(environment, key), 'unauthenticated')
      await writeBoth()
      t.is((await readEntries()).length, 3)
    },
  )
}

test.serial('uses that could not be written are included in the next write', async (t) => {
  const [transport] = environment.transports as [Transport]
  const { use, key, lastUsed } = await createFixture(transport)
  const proxy = await startDatabaseProxy(environment.databaseUrl)
  const disconnectedNode = await startTestEnvironment({}, proxy.url)
  t.teardown(async () => {
    await disconnectedNode.stop()
    await proxy.close()
  })
  disconnectedNode.clock.now = new Date('2026-11-21T12:39:30Z')
  t.is(await use(disconnectedNode, key), 'not_found')
  await proxy.cut()
  await t.throwsAsync(disconnectedNode.app.writeKeyUses())
  await proxy.open()
  await disconnectedNode.app.writeKeyUses()
  t.is(await lastUsed(), '2026-11-21T12:39:00.000Z')
})
