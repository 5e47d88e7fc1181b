import test from 'ava'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const [transport] = environment.transports
if (!transport) throw new Error('no transport')
const fixture = await createWorkspaceFixture(environment, transport)
test.after.always(() => environment.stop())

const hour = 3_600_000
const step = (milliseconds: number) => {
  environment.clock.now = new Date(Date.now() + milliseconds)
}

test.serial(
  'the clock steps: tokens are judged by it, at both transports, and nothing fails',
  async (t) => {
    const { owner } = fixture.people
    const record = await fixture.register(owner)
    for (const ahead of [hour, -hour, 24 * hour, 0]) {
      step(ahead)
      for (const { call } of environment.transports) {
        const ending = await call('GetMe', {}, { token: owner.token })
        // Only what has expired by the clock is refused: back in time everything holds for longer.
        if (ahead <= 0) t.is(expectOk(ending).id, owner.id)
        else t.like(ending, { code: 'unauthenticated', reason: 'TOKEN_EXPIRED' })
      }
    }
    t.true(await fixture.isAllowed(owner, 'edit', record))
  },
)

test.serial('a token ended before the clock steps back stays ended', async (t) => {
  step(0)
  const { viewer } = fixture.people
  expectOk(await transport.call('Logout', {}, { token: viewer.token }))
  for (const back of [-60_000, -hour]) {
    step(back)
    for (const { call } of environment.transports)
      t.like(await call('GetMe', {}, { token: viewer.token }), { code: 'unauthenticated' })
  }
})

test.serial('nothing of it was a fault of ours', (t) => {
  t.deepEqual(environment.failures, [])
})
