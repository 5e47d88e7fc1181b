// Threat: code and refresh races.
import test, { type ExecutionContext } from 'ava'
import { expectOk } from '../support/outcome.ts'
import { createSignInEnvironment, obtainCode, signIn } from '../support/sign-in.ts'
import type { Outcome, Transport } from '../support/transports.ts'

const environment = await createSignInEnvironment()
const second = await environment.addNode()
test.after.always(() => environment.stop())

const many = 20

/** The same call so often at once, by turns on two nodes. */
function atOnce(name: string, method: string, message: object, count = many): Promise<Outcome[]> {
  const nodes = [environment, second].map(
    ({ transports }) => transports.find((transport) => transport.name === name) as Transport,
  )
  return Promise.all(
    Array.from({ length: count }, (_, at) => (nodes[at % 2] as Transport).call(method, message)),
  )
}

const isDead = async (
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
  const through = `over ${transport.label}`

  test.serial(`of 20 parallel exchanges one wins, and loses what it won ${through}`, async (t) => {
    for (let round = 0; round < 3; round += 1) {
      const { exchange } = await obtainCode(transport, environment.addProviderUser())
      const endings = await atOnce(transport.name, 'ExchangeToken', exchange)
      const won = endings.filter(({ ok }) => ok)
      t.is(won.length, 1)
      for (const ending of endings)
        if (!ending.ok) t.like(ending, { code: 'failed_precondition', reason: 'CODE_REFUSED' })
      // The losers had the verifier: that is a replay.
      t.true(await isDead(transport, expectOk(won[0] as Outcome)))
    }
  })

  test.serial(
    `of 20 parallel refreshes at most one wins, and the family ends ${through}`,
    async (t) => {
      for (let round = 0; round < 3; round += 1) {
        const { tokens } = await signIn(transport, environment.addProviderUser(), 'github')
        const { refresh_token } = tokens
        const endings = await atOnce(transport.name, 'RefreshToken', { refresh_token })
        const won = endings.filter(({ ok }) => ok)
        t.true(won.length <= 1)
        for (const ending of endings)
          if (!ending.ok)
            t.like(ending, { code: 'unauthenticated', reason: 'REFRESH_TOKEN_REFUSED' })
        t.true(await isDead(transport, tokens))
        for (const ending of won) t.true(await isDead(transport, expectOk(ending)))
      }
    },
  )

  test.serial(`40 people who refresh at once all get on ${through}`, async (t) => {
    const email = environment.addProviderUser()
    const all = await Promise.all(
      Array.from({ length: 40 }, () =>
        signIn(transport, email, 'github').then(({ tokens }) => tokens),
      ),
    )
    const started = performance.now()
    const endings = await Promise.all(
      all.map(({ refresh_token }) => transport.call('RefreshToken', { refresh_token })),
    )
    for (const ending of endings) t.true(ending.ok, JSON.stringify(ending))
    const took = performance.now() - started
    t.true(took < 2000, `${took} ms: nobody may wait for a connection that never comes`)
  })

  test.serial(`a refresh and a logout at once leave no refresh token ${through}`, async (t) => {
    const started = performance.now()
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
    noDeadlock(t, started)
  })

  test.serial(`a refresh and a reuse at once leave no live token ${through}`, async (t) => {
    const started = performance.now()
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
        t.true(await isDead(transport, pair))
    }
    noDeadlock(t, started)
  })

  test.serial(`a member removed in the middle of an exchange gets 403 ${through}`, async (t) => {
    const email = environment.addProviderUser()
    const { exchange } = await obtainCode(transport, email)
    const client = await environment.pool.connect()
    try {
      // The exchange has looked at the membership and waits for its code.
      await client.query('begin; select from authorization_codes for update')
      const pending = transport.call('ExchangeToken', exchange)
      await untilBlocked()
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

  test.serial(`a member removed in the middle of a refresh gets 401 ${through}`, async (t) => {
    const { tokens } = await signIn(transport, environment.addProviderUser(), 'github')
    const client = await environment.pool.connect()
    try {
      await client.query('begin; select from refresh_families for update')
      const pending = transport.call('RefreshToken', { refresh_token: tokens.refresh_token })
      await untilBlocked()
      await client.query(`delete from members where workspace_id = '${tokens.workspace_id}'`)
      await client.query('commit')
      t.like(await pending, { ok: false, code: 'unauthenticated' })
    } finally {
      client.release(true)
    }
  })
}

/** PostgreSQL takes a second to notice one, and most rounds would have it. */
function noDeadlock(t: ExecutionContext, started: number) {
  const took = performance.now() - started
  t.true(took < 4000, `${took} ms: two transactions waited for each other`)
}

async function untilBlocked() {
  for (;;) {
    const { rows } = await environment.pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    if (rows.length > 0) return
  }
}

test.after('nothing of it was a fault of ours', (t) => {
  t.deepEqual([...environment.failures, ...second.failures], [])
})
