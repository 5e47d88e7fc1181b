import { randomUUID } from 'node:crypto'
import test from 'ava'
import { hireAdmin } from '../support/admin.ts'
import type { Door } from '../support/doors.ts'
import { answered, refused } from '../support/ending.ts'
import { startWorld } from '../support/world.ts'

const world = await startWorld()
const boss = await hireAdmin(world)
test.after.always(() => world.stop())

const warning = 'No service app is active: development mode, every key and none passes'

/** Takes what the operator was told since the last time. */
const told = ({ warnings }: { warnings: string[] } = world) => warnings.splice(0)

for (const door of world.doors) {
  const through = `through ${door.name}`
  const call = (method: string, message: object = {}) => boss.call(door, method, message)
  const make = async () =>
    answered(await call('CreateServiceApp', { name: 'x', service_name: 'x' })).id as string
  const look = async (at: Door = door) => {
    const message = { service_name: 'x', resource_type: 'x', resource_id: randomUUID() }
    return refused(await at.call('GetResource', message)).kind
  }

  test.serial(
    `without an active app no key is asked for, and the operator is warned ${through}`,
    async (t) => {
      t.is(await look(), 'missing')
      const [first, second] = [await make(), await make()]
      t.is(await look(), 'unauthenticated')
      answered(await call('UpdateServiceApp', { service_app_id: first, is_active: false }))
      t.deepEqual(told(), [])
      answered(await call('UpdateServiceApp', { service_app_id: second, is_active: false }))
      t.deepEqual(told(), [warning])
      t.is(await look(), 'missing')
      answered(await call('UpdateServiceApp', { service_app_id: first, is_active: true }))
      t.deepEqual(told(), [])
      t.is(await look(), 'unauthenticated')
      answered(await call('DeleteServiceApp', { service_app_id: first }))
      t.deepEqual(told(), [warning])
      t.is(await look(), 'missing')
    },
  )

  test.serial(
    `of two who deactivate the last apps at once one is warned of it ${through}`,
    async (t) => {
      const apps = [await make(), await make()]
      await Promise.all(
        apps.map(async (service_app_id) =>
          answered(await call('UpdateServiceApp', { service_app_id, is_active: false })),
        ),
      )
      t.true(told().includes(warning))
    },
  )

  test.serial(
    `SERVICE_KEYS_REQUIRED knows no development mode and warns of none ${through}`,
    async (t) => {
      const strict = await world.another({ keysRequired: true })
      const strictDoor = strict.doors.find(({ name }) => name === door.name) as Door
      const service_app_id = await make()
      answered(
        await boss.call(strictDoor, 'UpdateServiceApp', { service_app_id, is_active: false }),
      )
      t.deepEqual(told(strict), [])
      t.is(await look(strictDoor), 'unauthenticated')
    },
  )
}
