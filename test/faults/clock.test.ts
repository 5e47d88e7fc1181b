import test from 'ava'
import { answered } from '../support/ending.ts'
import { openOffice } from '../support/office.ts'
import { startWorld } from '../support/world.ts'

const world = await startWorld()
const [door] = world.doors
if (!door) throw new Error('no door')
const office = await openOffice(world, door)
test.after.always(() => world.stop())

const hour = 3_600_000
const step = (milliseconds: number) => {
  world.clock.now = new Date(Date.now() + milliseconds)
}

test.serial(
  'the clock steps: tokens are judged by it, at both doors, and nothing fails',
  async (t) => {
    const { owner } = office.staff
    const record = await office.register(owner)
    for (const ahead of [hour, -hour, 24 * hour, 0]) {
      step(ahead)
      for (const { call } of world.doors) {
        const ending = await call('GetMe', {}, { token: owner.token })
        // Only what has expired by the clock is refused: back in time everything holds for longer.
        if (ahead <= 0) t.is(answered(ending).id, owner.id)
        else t.like(ending, { kind: 'unauthenticated', reason: 'TOKEN_EXPIRED' })
      }
    }
    t.true(await office.may(owner, 'edit', record))
  },
)

test.serial('a token ended before the clock steps back stays ended', async (t) => {
  step(0)
  const { viewer } = office.staff
  answered(await door.call('Logout', {}, { token: viewer.token }))
  for (const back of [-60_000, -hour]) {
    step(back)
    for (const { call } of world.doors)
      t.like(await call('GetMe', {}, { token: viewer.token }), { kind: 'unauthenticated' })
  }
})

test.serial('nothing of it was a fault of ours', (t) => {
  t.deepEqual(world.failures, [])
})
