import { randomUUID } from 'node:crypto'
import test from 'ava'
import { hireAdmin } from '../support/admin.ts'
import type { Door } from '../support/doors.ts'
import { answered } from '../support/ending.ts'
import { startProxy } from '../support/proxy.ts'
import { startWorld } from '../support/world.ts'

const world = await startWorld()
const other = await world.another()
world.clock.now = new Date('2026-11-21T12:34:56.789Z')
const boss = await hireAdmin(world)
test.after.always(() => world.stop())

const setClock = (time: string) => {
  world.clock.now = new Date(`2026-11-21T${time}Z`)
}

/** An app, what its keys are answered, and what administrators see of their use. */
async function openShop(door: Door) {
  const service_name = `s-${randomUUID()}`
  const made = answered(await boss.call(door, 'CreateServiceApp', { name: 'x', service_name }))
  const app = { service_app_id: made.id as string }
  return {
    ...{ app, key: made.key as string },
    use: async (node: { doors: Door[] }, key: string) => {
      const message = { service_name, resource_type: 't', resource_id: randomUUID() }
      const at = node.doors.find(({ name }) => name === door.name) as Door
      const ending = await at.call('GetResource', message, { key })
      return ending.ok || ending.kind
    },
    lastUsed: async () => {
      const { service_apps } = answered(await boss.call(door, 'ListServiceApps'))
      const at = service_apps.find(({ id }: any) => id === made.id).last_used_at
      return at ? new Date(at).toISOString() : undefined
    },
  }
}

for (const door of world.doors) {
  const through = `through ${door.name}`

  test.serial(
    `the last use of a key is told to the minute, once it is written ${through}`,
    async (t) => {
      const { use, key, lastUsed } = await openShop(door)
      setClock('12:34:56.789')
      t.is(await use(other, key), 'missing')
      await world.app.writeKeyUses()
      t.is(await lastUsed(), undefined, 'the other node knows of it')
      await other.app.writeKeyUses()
      t.is(await lastUsed(), '2026-11-21T12:34:00.000Z')
      await other.app.writeKeyUses()
      t.is(await lastUsed(), '2026-11-21T12:34:00.000Z')
    },
  )

  test.serial(`any of an app's keys counts, what is refused does not ${through}`, async (t) => {
    const { use, key, lastUsed, app } = await openShop(door)
    setClock('12:35:00')
    const rotated = await boss.call(door, 'RotateServiceApp', { ...app, overlap_seconds: 0 })
    t.is(await use(world, key), 'unauthenticated')
    await world.app.writeKeyUses()
    t.is(await lastUsed(), undefined)
    t.is(await use(world, answered(rotated).key), 'missing')
    await world.app.writeKeyUses()
    t.is(await lastUsed(), '2026-11-21T12:35:00.000Z')
  })

  test.serial(`of two nodes the later use stays, whoever writes last ${through}`, async (t) => {
    const { use, key, lastUsed } = await openShop(door)
    setClock('12:36:59')
    t.is(await use(world, key), 'missing')
    setClock('12:38:01')
    t.is(await use(other, key), 'missing')
    await other.app.writeKeyUses()
    await world.app.writeKeyUses()
    t.is(await lastUsed(), '2026-11-21T12:38:00.000Z')
  })
}

test.serial('what could not be written is written the next time', async (t) => {
  const [door] = world.doors as [Door]
  const { use, key, lastUsed } = await openShop(door)
  const proxy = await startProxy(world.databaseUrl)
  const far = await startWorld({}, proxy.url)
  t.teardown(async () => {
    await far.stop()
    await proxy.close()
  })
  far.clock.now = new Date('2026-11-21T12:39:30Z')
  t.is(await use(far, key), 'missing')
  await proxy.cut()
  await t.throwsAsync(far.app.writeKeyUses())
  await proxy.open()
  await far.app.writeKeyUses()
  t.is(await lastUsed(), '2026-11-21T12:39:00.000Z')
})
