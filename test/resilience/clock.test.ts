import test from 'ava'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const [transport] = environment.transports
if (!transport) throw new Error('The environment has no transport')
const fixture = await createWorkspaceFixture(environment, transport)
test.after.always(() => environment.stop())

const hour = 3_600_000
const shiftClock = (milliseconds: number) => {
  environment.clock.now = new Date(Date.now() + milliseconds)
}

test.serial(
  'after the clock jumps, both transports check tokens against the new time',
  async (t) => {
    const { owner } = fixture.people
    const record = await fixture.register(owner)
    for (const ahead of [hour, -hour, 24 * hour, 0]) {
      shiftClock(ahead)
      for (const { call } of environment.transports) {
        const outcome = await call('GetMe', {}, { token: owner.token })
        // If the clock goes back, tokens stay valid longer.
        if (ahead <= 0) t.is(expectOk(outcome).id, owner.id)
        else t.like(outcome, { code: 'unauthenticated', reason: 'TOKEN_EXPIRED' })
      }
    }
    t.true(await fixture.isAllowed(owner, 'edit', record))
  },
)

test.serial('a revoked token stays revoked after the clock jumps back', async (t) => {
  shiftClock(0)
  const { viewer } = fixture.people
  expectOk(await transport.call('Logout', {}, { token: viewer.token }))
  for (const back of [-60_000, -hour]) {
    shiftClock(back)
    for (const { call } of environment.transports)
      t.like(await call('GetMe', {}, { token: viewer.token }), { code: 'unauthenticated' })
  }
})

test.serial('no call fails with an internal error', (t) => {
  t.deepEqual(environment.failures, [])
})
