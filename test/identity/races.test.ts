// Threat: code and refresh races.
import test, { type ExecutionContext } from 'ava'
import { waitUntilBlocked } from '../support/lock-waits.ts'
import { expectOk } from '../support/outcome.ts'
import { createSignInEnvironment, obtainCode, signIn } from '../support/sign-in.ts'
import type { Outcome, Transport } from '../support/transports.ts'

const environment = await createSignInEnvironment()
const second = await environment.addNode()
test.after.always(() => environment.stop())

/** Sends the same call concurrently, alternating between two nodes. */
function callConcurrently(
  name: string,
  method: string,
  message: object,
  count = 20,
): Promise<Outcome[]> {
  const nodes = [environment, second].map(
    ({ transports }) => transports.find((transport) => transport.name === name) as Transport,
  )
  return Promise.all(
    Array.from({ length: count }, (_, index) =>
      (nodes[index % 2] as Transport).call(method, message),
    ),
  )
}

const isRevoked = async (
  transport: Transport,
  { access_token, refresh_token }: Record<string, any>,
) => {
  const me = await transport.call('GetMe', {}, { token: access_token })
  const refresh = await transport.call('RefreshToken', { refresh_token })
  return (
    !me.ok && me.code === 'unauthenticated' && !refresh.ok && refresh.code === 'unauthenticated'
  )
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test.serial(
    `one of 20 concurrent exchanges succeeds, and its tokens are revoked ${over}`,
    async (t) => {
      for (let round = 0; round < 3; round += 1) {
        const { exchange } = await obtainCode(transport, environment.addProviderUser())
        const outcomes = await callConcurrently(transport.name, 'ExchangeToken', exchange)
        const succeeded = outcomes.filter(({ ok }) => ok)
        t.is(succeeded.length, 1)
        for (const outcome of outcomes)
          if (!outcome.ok) t.like(outcome, { code: 'failed_precondition', reason: 'CODE_REFUSED' })
        // The other calls also had the verifier, so each counts as a second exchange.
        t.true(await isRevoked(transport, expectOk(succeeded[0] as Outcome)))
      }
    },
  )

  test.serial(
    `at most one of 20 concurrent refreshes succeeds, and the family is revoked ${over}`,
    async (t) => {
      for (let round = 0; round < 3; round += 1) {
        const { tokens } = await signIn(transport, environment.addProviderUser(), 'github')
        const { refresh_token } = tokens
        const outcomes = await callConcurrently(transport.name, 'RefreshToken', { refresh_token })
        const succeeded = outcomes.filter(({ ok }) => ok)
        t.true(succeeded.length <= 1)
        for (const outcome of outcomes)
          if (!outcome.ok)
            t.like(outcome, { code: 'unauthenticated', reason: 'REFRESH_TOKEN_REFUSED' })
        t.true(await isRevoked(transport, tokens))
        for (const outcome of succeeded) t.true(await isRevoked(transport, expectOk(outcome)))
      }
    },
  )

  test.serial(`40 concurrent refreshes of different families all succeed ${over}`, async (t) => {
    const email = environment.addProviderUser()
    const all = await Promise.all(
      Array.from({ length: 40 }, () =>
        signIn(transport, email, 'github').then(({ tokens }) => tokens),
      ),
    )
    const started = performance.now()
    const outcomes = await Promise.all(
      all.map(({ refresh_token }) => transport.call('RefreshToken', { refresh_token })),
    )
    for (const outcome of outcomes) t.true(outcome.ok, JSON.stringify(outcome))
    const duration = performance.now() - started
    // Refreshes that wait for each other's connections would do so until the pool times out, after
    // 30 seconds.
    t.true(
      duration < 20_000,
      `${duration} ms: transactions must not wait for each other's connections`,
    )
  })

  test.serial(
    `a refresh concurrent with a logout leaves no valid refresh token ${over}`,
    async (t) => {
      for (let round = 0; round < 10; round += 1) {
        const { tokens } = await signIn(transport, environment.addProviderUser(), 'github')
        const { refresh_token, access_token: token } = tokens
        const [refresh, logout] = await Promise.all([
          transport.call('RefreshToken', { refresh_token }),
          transport.call('Logout', {}, { token }),
        ])
        t.true(logout.ok)
        t.false((await transport.call('GetMe', {}, { token })).ok)
        if (!refresh.ok) t.is(refresh.code, 'unauthenticated')
        else {
          const again = { refresh_token: refresh.message.refresh_token }
          t.false((await transport.call('RefreshToken', again)).ok)
        }
      }
      await assertNoDeadlock(t)
    },
  )

  test.serial(`a refresh concurrent with a reuse leaves no valid token ${over}`, async (t) => {
    for (let round = 0; round < 10; round += 1) {
      const { tokens } = await signIn(transport, environment.addProviderUser(), 'github')
      const first = expectOk(
        await transport.call('RefreshToken', { refresh_token: tokens.refresh_token }),
      )
      const [next, reuse] = await Promise.all([
        transport.call('RefreshToken', { refresh_token: first.refresh_token }),
        transport.call('RefreshToken', { refresh_token: tokens.refresh_token }),
      ])
      t.false(reuse.ok)
      for (const pair of [tokens, first, ...(next.ok ? [next.message] : [])])
        t.true(await isRevoked(transport, pair))
    }
    await assertNoDeadlock(t)
  })

  test.serial(`a member removed during an exchange gets 403 ${over}`, async (t) => {
    const email = environment.addProviderUser()
    const { exchange } = await obtainCode(transport, email)
    const client = await environment.pool.connect()
    try {
      // The exchange has read the membership and waits for the lock of its code.
      await client.query('begin; select from authorization_codes for update')
      const pending = transport.call('ExchangeToken', exchange)
      await waitUntilBlocked(environment.pool)
      await environment.pool.query('delete from members where workspace_id = $1', [
        exchange.workspace_id,
      ])
      await client.query('commit')
      t.like(await pending, { ok: false, code: 'permission_denied', reason: 'NOT_A_MEMBER' })
    } finally {
      client.release(true)
    }
    t.deepEqual(environment.failures.splice(0), [])
  })

  test.serial(`a member removed during a refresh gets 401 ${over}`, async (t) => {
    const { tokens } = await signIn(transport, environment.addProviderUser(), 'github')
    const client = await environment.pool.connect()
    try {
      await client.query('begin; select from refresh_families for update')
      const pending = transport.call('RefreshToken', { refresh_token: tokens.refresh_token })
      await waitUntilBlocked(environment.pool)
      await client.query(`delete from members where workspace_id = '${tokens.workspace_id}'`)
      await client.query('commit')
      t.like(await pending, { ok: false, code: 'unauthenticated' })
    } finally {
      client.release(true)
    }
  })
}

/**
 * Reads the deadlock counter of PostgreSQL, because the server retries a transaction that was ended
 * by a deadlock.
 */
async function assertNoDeadlock(t: ExecutionContext) {
  const { rows } = await environment.pool.query(
    'select deadlocks::int from pg_stat_database where datname = current_database()',
  )
  t.is(rows[0].deadlocks, 0)
}

test.after('no internal errors occurred', (t) => {
  t.deepEqual([...environment.failures, ...second.failures], [])
})
