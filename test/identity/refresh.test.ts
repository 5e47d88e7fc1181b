// Threat: code and refresh races (reuse, restart); tokens that outlive their user.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { decodeJwt } from 'jose'
import { expectOk } from '../support/outcome.ts'
import { createSignInEnvironment, signIn, without } from '../support/sign-in.ts'
import type { Outcome, Transport } from '../support/transports.ts'

const environment = await createSignInEnvironment()
test.after.always(() => environment.stop())

const isDenied = (outcome: Outcome) => !outcome.ok && outcome.code === 'unauthenticated'
const refresh = (transport: Transport, { refresh_token }: Record<string, any>) =>
  transport.call('RefreshToken', { refresh_token })
const start = async (transport: Transport) => {
  const email = environment.addProviderUser()
  const { tokens } = await signIn(transport, email, 'github')
  return { email, tokens, id: String(decodeJwt(tokens.access_token).sub) }
}
const uses = (transport: Transport, { access_token: token }: Record<string, any>) =>
  transport.call('GetMe', {}, { token })

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`a refresh returns new tokens of the same family ${over}`, async (t) => {
    const { tokens } = await start(transport)
    let pair = tokens
    for (let round = 0; round < 3; round += 1) {
      const next = expectOk(await refresh(transport, pair))
      t.deepEqual(Object.keys(next).toSorted(), Object.keys(tokens).toSorted())
      t.like(next, { token_type: 'Bearer', expires_in: 900, workspace_id: tokens.workspace_id })
      t.not(next.refresh_token, pair.refresh_token)
      t.not(decodeJwt(next.access_token).jti, decodeJwt(pair.access_token).jti)
      // The previous access token stays valid until it expires.
      t.true((await uses(transport, pair)).ok)
      pair = next
    }
    const { sessions } = expectOk(
      await transport.call('ListSessions', {}, { token: String(pair.access_token) }),
    )
    t.is(sessions.length, 1)
    t.true(sessions[0].current)
  })

  test(`a reused token returns 401 and revokes the family with its access tokens ${over}`, async (t) => {
    const { email, tokens } = await start(transport)
    const other = (await signIn(transport, email, 'github')).tokens
    const second = expectOk(await refresh(transport, tokens))
    const third = expectOk(await refresh(transport, second))
    t.like(await refresh(transport, tokens), {
      code: 'unauthenticated',
      reason: 'REFRESH_TOKEN_REFUSED',
    })
    for (const pair of [tokens, second, third]) {
      t.like(await uses(transport, pair), { code: 'unauthenticated', reason: 'TOKEN_REVOKED' })
      t.true(isDenied(await refresh(transport, pair)))
    }
    t.true((await uses(transport, other)).ok)
    t.true((await refresh(transport, other)).ok)
  })

  test(`a reused token is also rejected after a restart ${over}`, async (t) => {
    const { tokens } = await start(transport)
    const next = expectOk(await refresh(transport, tokens))
    const node = await environment.addNode()
    const again = node.transports.find(({ name }) => name === transport.name) as Transport
    t.true((await uses(again, next)).ok)
    t.true(isDenied(await refresh(again, tokens)))
    t.true(isDenied(await refresh(again, next)))
    t.true(isDenied(await uses(again, next)))
    t.true(isDenied(await uses(transport, next)))
  })

  test(`an unknown, malformed or missing refresh token is rejected ${over}`, async (t) => {
    const { tokens } = await start(transport)
    const right = String(tokens.refresh_token)
    for (const refresh_token of ['x', '..', `${right}x`, right.slice(1), ` ${right}`, 'é'])
      t.true(isDenied(await refresh(transport, { refresh_token })), refresh_token)
    const claims = { sub: randomUUID(), jti: randomUUID(), wid: randomUUID() }
    const unknown = await environment.app.tokens.sign('refresh', claims, 900)
    t.true(isDenied(await refresh(transport, { refresh_token: unknown })))
    for (const message of [{ refresh_token: '' }, without(transport, {}, 'refresh_token')])
      t.like(await transport.call('RefreshToken', message), { ok: false, code: 'invalid_argument' })
    t.true((await refresh(transport, tokens)).ok)
  })

  test(`a removed member's refresh token stays invalid after rejoining ${over}`, async (t) => {
    const { id, tokens } = await start(transport)
    const { workspace_id } = tokens
    await environment.pool.query('delete from members where user_id = $1', [id])
    t.true(isDenied(await refresh(transport, tokens)))
    await environment.seed.member(workspace_id, id, 'owner')
    t.true(isDenied(await refresh(transport, tokens)))
  })

  test(`a deactivated user's refresh and access tokens are rejected immediately ${over}`, async (t) => {
    const { id, tokens } = await start(transport)
    t.true((await uses(transport, tokens)).ok)
    await environment.pool.query('update users set is_active = false where id = $1', [id])
    t.true(isDenied(await refresh(transport, tokens)))
    t.true(isDenied(await uses(transport, tokens)))
  })

  test(`a deleted user's or workspace's tokens are rejected ${over}`, async (t) => {
    const [deleted, moved] = [await start(transport), await start(transport)]
    await environment.pool.query('delete from users where id = $1', [deleted.id])
    await environment.pool.query('delete from workspaces where id = $1', [
      moved.tokens.workspace_id,
    ])
    t.true(isDenied(await refresh(transport, deleted.tokens)))
    t.true(isDenied(await uses(transport, deleted.tokens)))
    t.true(isDenied(await refresh(transport, moved.tokens)))
  })

  test(`a refresh returns the current role, groups, name and slug ${over}`, async (t) => {
    const { id, tokens } = await start(transport)
    const wid = String(tokens.workspace_id)
    t.like(decodeJwt(tokens.access_token), { wrole: 'owner', groups: [], name: 'Ann' })
    const group = await environment.seed.group(wid, [id])
    const otherWorkspace = await environment.seed.workspace()
    await environment.seed.member(otherWorkspace, id)
    await environment.seed.group(otherWorkspace, [id])
    await environment.pool.query(`update members set role = 'editor' where workspace_id = $1`, [
      wid,
    ])
    await environment.pool.query(`update users set name = 'Anna' where id = $1`, [id])
    const slug = `moved-${transport.name}`
    await environment.pool.query('update workspaces set slug = $2 where id = $1', [wid, slug])
    const today = decodeJwt(expectOk(await refresh(transport, tokens)).access_token)
    t.like(today, { sub: id, wid, wslug: slug, wrole: 'editor', groups: [group], name: 'Anna' })
  })

  test.serial(
    `a session expires after its absolute lifetime, even when refreshed ${over}`,
    async (t) => {
      t.teardown(() => {
        environment.clock.now = undefined
      })
      const startedAt = Math.floor(Date.now() / 1000) * 1000
      environment.clock.now = new Date(startedAt)
      const { tokens } = await start(transport)
      t.is(tokens.refresh_expires_in, 604_800)
      environment.clock.now = new Date(startedAt + 604_000_000)
      const late = expectOk(await refresh(transport, tokens))
      t.is(late.refresh_expires_in, 800)
      environment.clock.now = new Date(startedAt + 604_799_000)
      const last = expectOk(await refresh(transport, late))
      t.is(last.refresh_expires_in, 1)
      for (const passed of [604_800_000, 700_000_000]) {
        environment.clock.now = new Date(startedAt + passed)
        t.true(isDenied(await refresh(transport, last)))
      }
    },
  )
}

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
