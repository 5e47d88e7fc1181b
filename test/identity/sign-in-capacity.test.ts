// Threat: a tenant starves the others.
import test from 'ava'
import { countLockWaits, waitUntilBlocked } from '../support/lock-waits.ts'
import { expectOk } from '../support/outcome.ts'
import { createSignInEnvironment, signIn, signInAtProvider } from '../support/sign-in.ts'
import type { Transport } from '../support/transports.ts'

const environment = await createSignInEnvironment({ options: { TRUSTED_PROXIES: 1 } })
test.after.always(() => environment.stop())

test('sign-ins that wait for a lock leave connections for other calls', async (t) => {
  const transport = environment.transports.find(({ name }) => name === 'rest') as Transport
  const email = environment.addProviderUser()
  await signIn(transport, email, 'github')
  const visits = await Promise.all(
    Array.from({ length: 30 }, () => signInAtProvider(transport, 'github', email)),
  )
  const workspace = await environment.seed.workspace()
  const token = await environment.token(await environment.seed.newMember(workspace), workspace)

  const lock = await environment.pool.connect()
  await lock.query('begin')
  await lock.query('select from users where email = $1 for update', [email])
  try {
    // More sign-ins than connections, from several addresses, because each address may have 16.
    const signIns = visits.map(({ message }, index) =>
      transport.call('CompleteLogin', message, {
        headers: { 'x-forwarded-for': `192.0.2.${index % 3}` },
      }),
    )
    await waitUntilBlocked(environment.pool)
    for (let round = 0; round < 5; round += 1) {
      expectOk(
        await transport.call(
          'CreateWorkspace',
          { name: 'other', slug: `other-${round}` },
          { token },
        ),
      )
      const waiting = await countLockWaits(environment.pool)
      t.true(waiting <= 5, `${waiting} sign-ins have a connection`)
    }
    await lock.query('rollback')
    await Promise.all(signIns)
  } finally {
    lock.release()
  }
  environment.failures.length = 0
})
