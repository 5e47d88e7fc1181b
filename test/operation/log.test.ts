import { randomUUID } from 'node:crypto'
import test from 'ava'
import { pino } from 'pino'
import { createCallLog } from '../../src/operation/call-log.ts'
import type { Ending } from '../../src/rpc/pipeline.ts'
import { hireAdmin } from '../support/admin.ts'
import { layGrounds } from '../support/sweep.ts'
import { startWorld } from '../support/world.ts'

/** Everything that was written, at the least level there is. */
let written = ''
const log = pino({ level: 'trace' }, { write: (line: string) => (written += line) })
const endings: Ending[] = []
const callLog = createCallLog(log)
const onEnd = (ending: Ending) => {
  endings.push(ending)
  callLog(ending)
}
const onFailure = (fault: unknown) => log.error({ err: fault }, 'failure')
const world = await startWorld({}, undefined, { watch: { onEnd }, onFailure })
test.after.always(() => world.stop())

const lines = () =>
  written
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

for (const door of world.doors) {
  test.serial(
    `${door.name}: a line a call, of who asked what, how it ended and how long it took`,
    async (t) => {
      const grounds = await layGrounds(world, door)
      const { office, record } = grounds
      const { staff, kind, key } = office
      const ids = { known: randomUUID(), refused: randomUUID(), service: randomUUID() }
      const as = (id: string, shown: object) => ({ ...shown, headers: { 'x-request-id': id } })
      await door.call('GetMe', {}, as(ids.known, { token: staff.viewer.token }))
      await door.call('GetMe', {}, as(ids.refused, {}))
      const question = { ...kind, resource_id: record.resource_id }
      await door.call('GetResource', question, as(ids.service, { key }))
      const of = (id: string) => lines().filter(({ request_id }) => request_id === id)

      const call = { door: door.name === 'grpc' ? 'grpc' : 'http', ip: '127.0.0.1', msg: 'call' }
      const [known, ...more] = of(ids.known)
      t.deepEqual(more, [])
      const method = 'daikon.v1.UserService/GetMe'
      t.like(known, { ...call, method, user: staff.viewer.id, status: 'ok', level: 30 })
      t.true(known.ms > 0 && known.ms < 60_000)
      const [refused] = of(ids.refused)
      t.like(refused, { ...call, method, status: 'unauthenticated', reason: 'TOKEN_MISSING' })
      t.false('user' in refused)
      const [service] = of(ids.service)
      t.like(service, { ...call, service: office.service, status: 'ok' })
    },
  )

  test.serial(
    `${door.name}: what was decided is told at debug alone, a refusal at info`,
    async (t) => {
      const { office, record } = await layGrounds(world, door)
      const { staff, kind } = office
      const checks = [{ ...kind, resource_id: record.resource_id, action: 'view' }]
      const [good, bad] = [randomUUID(), randomUUID()]
      const shown = office.as(staff.viewer)
      await door.call('Check', { checks }, { ...shown, headers: { 'x-request-id': good } })
      await door.call('Check', { checks: [] }, { ...shown, headers: { 'x-request-id': bad } })
      const levels = new Map(lines().map(({ request_id, level }) => [request_id, level]))
      t.is(levels.get(good), 20)
      t.is(levels.get(bad), 30)
    },
  )
}

test.serial(
  'no credential of any kind reaches the log, whatever becomes of the call',
  async (t) => {
    const secrets: string[] = []
    for (const door of world.doors) {
      const grounds = await layGrounds(world, door)
      const { staff, key } = grounds.office
      const boss = await hireAdmin(world)
      secrets.push(key, boss.admin, ...Object.values(staff).map(({ token }) => token))
      for (const operation of world.app.operations) {
        const name = operation.name.split('/')[1] as string
        const isPublic = operation.policy.tier === 'public'
        const message: Record<string, unknown> = isPublic ? {} : grounds.message(operation)
        // What travels in messages is no less secret.
        for (const field of operation.input.fields) {
          if (!isPublic || field.name === 'provider') continue
          const secret = `secret-${randomUUID()}-${'x'.repeat(7)}`
          secrets.push(secret)
          message[field.name] = secret
        }
        const unknown = `dk_${randomUUID()}`
        secrets.push(unknown)
        await door.call(name, { ...message }, { token: staff.owner.token, key, admin: boss.admin })
        await door.call(name, { ...message }, { token: unknown, key: unknown, admin: unknown })
      }
    }
    t.true(endings.length > 2 * world.app.operations.length)
    t.true(written.length > 10_000)
    for (const secret of secrets) {
      t.false(written.includes(secret))
      // Nor the part of a token that would be enough to know it by.
      t.false(written.includes(secret.slice(-20)))
    }
  },
)
