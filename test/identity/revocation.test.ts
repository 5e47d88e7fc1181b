// Threat: revocation that misses a token that is being issued; tokens that outlive their user.
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { decodeJwt } from 'jose'
import { setAdministratorByEmail } from '../../src/admin/user-status.ts'
import { sweep } from '../../src/database/sweep.ts'
import { createStores } from '../../src/server/stores.ts'
import { createAdmin } from '../support/admin.ts'
import { waitUntilBlocked } from '../support/lock-waits.ts'
import { expectOk, failedCalls } from '../support/outcome.ts'
import {
  createSignInEnvironment,
  obtainCode,
  signIn,
  signInAdmin,
  signInAtProvider,
} from '../support/sign-in.ts'
import type { Outcome, Transport } from '../support/transports.ts'

const environment = await createSignInEnvironment()
const shortLivedEnvironment = await createSignInEnvironment({
  options: { REFRESH_TOKEN_EXPIRE_DAYS: 600 / 86_400 },
})
const limitedEnvironment = await createSignInEnvironment({ options: { MAX_SESSIONS_PER_USER: 3 } })
const { database, pool, seed } = environment
const admin = await createAdmin(environment)
test.after.always(async () => {
  await Promise.all([environment.stop(), shortLivedEnvironment.stop(), limitedEnvironment.stop()])
})

const revoked = { ok: false, code: 'unauthenticated', reason: 'TOKEN_REVOKED' } as const

const uses = (transport: Transport, token: string) => transport.call('GetMe', {}, { token })
const refreshes = (transport: Transport, refresh_token: string) =>
  transport.call('RefreshToken', { refresh_token })

/** A workspace with an owner, and an editor of it who is signed in. */
async function createScene(transport: Transport) {
  const workspace = await seed.workspace()
  const owner = await seed.newMember(workspace, 'owner')
  const email = environment.addProviderUser()
  const editor = await seed.user('editor', { email })
  await seed.member(workspace, editor, 'editor')
  const { tokens } = await signIn(transport, email, 'github')
  const ownerToken = await environment.token(owner, workspace)
  return { workspace, email, editor, tokens, ownerToken }
}

type Scene = Awaited<ReturnType<typeof createScene>>

/** Locks a table, so that calls that insert into it wait; returns how to release it. */
async function lockTable(table: string) {
  const client = await pool.connect()
  await client.query(`begin; lock table ${table} in share mode`)
  return async () => {
    await client.query('commit')
    client.release()
  }
}

/** Runs `revoke` while `issue` waits for the lock of a table, and returns the result of `issue`. */
async function whileBlocked(
  table: string,
  issue: () => Promise<Outcome>,
  revoke: () => Promise<unknown>,
): Promise<Outcome> {
  const release = await lockTable(table)
  const issuing = issue()
  await waitUntilBlocked(pool)
  const revoking = revoke()
  // Gives a revocation that does not wait for the token enough time to complete before the token
  // is issued.
  await Promise.race([revoking, sleep(300)])
  await release()
  const [issued] = await Promise.all([issuing, revoking])
  return issued
}

/** Each `revoke` ends the editor's access; a token must stay revoked after `restore`. */
const revocations: Record<
  string,
  {
    revoke: (transport: Transport, scene: Scene) => Promise<Outcome>
    restore?: (transport: Transport, scene: Scene) => Promise<unknown>
  }
> = {
  'a logout': {
    revoke: (transport, { tokens }) => transport.call('Logout', {}, { token: tokens.access_token }),
  },
  'the end of the other sessions': {
    revoke: (transport, { tokens }) =>
      transport.call('EndOtherSessions', {}, { token: tokens.access_token }),
  },
  'the removal of the member': {
    revoke: (transport, { workspace, editor, ownerToken }) => {
      const membership = { workspace_id: workspace, user_id: editor }
      return transport.call('RemoveMember', membership, { token: ownerToken })
    },
    restore: (_transport, { workspace, editor }) => seed.member(workspace, editor, 'editor'),
  },
  'the deletion of the workspace': {
    revoke: (transport, { workspace, ownerToken }) =>
      transport.call('DeleteWorkspace', { workspace_id: workspace }, { token: ownerToken }),
  },
  'a deactivation': {
    revoke: (transport, { editor: user_id }) =>
      admin.call(transport, 'UpdateUser', { user_id, is_active: false }),
    restore: (transport, { editor: user_id }) =>
      admin.call(transport, 'UpdateUser', { user_id, is_active: true }),
  },
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  for (const [name, { revoke, restore }] of Object.entries(revocations)) {
    test.serial(
      `${name} ends tokens whose exchange or refresh is in progress ${over}`,
      async (t) => {
        for (const method of ['ExchangeToken', 'RefreshToken']) {
          const scene = await createScene(transport)
          const message =
            method === 'ExchangeToken'
              ? (await obtainCode(transport, scene.email)).exchange
              : {
                  refresh_token: (await signIn(transport, scene.email, 'github')).tokens
                    .refresh_token,
                }
          const issued = await whileBlocked(
            'refresh_tokens',
            () => transport.call(method, message),
            async () => expectOk(await revoke(transport, scene)),
          )
          if (restore) await restore(transport, scene)
          if (!issued.ok) continue
          const { access_token, refresh_token } = issued.message
          t.like(await uses(transport, access_token), revoked, method)
          t.like(await refreshes(transport, refresh_token), { code: 'unauthenticated' }, method)
        }
      },
    )
  }

  test.serial(`a demotion ends an admin token whose sign-in is in progress ${over}`, async (t) => {
    const email = environment.addProviderUser()
    await seed.user('boss', { email, is_admin: true })
    const operator = { stores: createStores(database.fork()), principal: {} }
    const { message } = await signInAtProvider(transport, 'github', email, {}, 'BeginAdminLogin')
    const issued = await whileBlocked(
      'admin_tokens',
      () => transport.call('CompleteAdminLogin', message),
      () => setAdministratorByEmail(operator, { email, is_admin: false }),
    )
    const { admin_token } = expectOk(issued)
    const credentials = { admin: String(admin_token) }
    t.like(await transport.call('GetAdminMe', {}, credentials), revoked)
    await setAdministratorByEmail(operator, { email, is_admin: true })
    t.like(await transport.call('GetAdminMe', {}, credentials), revoked)
  })

  test(`an admin cookie stays invalid when a demoted administrator is promoted again ${over}`, async (t) => {
    const email = environment.addProviderUser()
    await seed.user('boss', { email, is_admin: true })
    const { admin: cookie = '' } = await signInAdmin(transport, email, 'github')
    t.true((await transport.call('GetAdminMe', {}, { admin: cookie })).ok)
    for (const is_admin of [false, true]) {
      await setAdministratorByEmail(
        { stores: createStores(database.fork()), principal: {} },
        { email, is_admin },
      )
      t.like(await transport.call('GetAdminMe', {}, { admin: cookie }), revoked)
    }
    const { admin: next = '' } = await signInAdmin(transport, email, 'github')
    t.true((await transport.call('GetAdminMe', {}, { admin: next })).ok)
  })

  test.serial(
    `a token of a refresh that waited for a lock is denied until its exp ${over}`,
    async (t) => {
      t.teardown(() => {
        environment.clock.now = undefined
      })
      const start = Date.now()
      const { email, tokens } = await createScene(transport)
      const other = (await signIn(transport, email, 'github')).tokens
      const release = await lockTable('refresh_families')
      const pending = refreshes(transport, other.refresh_token)
      await waitUntilBlocked(pool)
      environment.clock.now = new Date(start + 120_000)
      await release()
      const { access_token } = expectOk(await pending)
      expectOk(await transport.call('Logout', {}, { token: tokens.access_token }))
      const { jti, exp = 0, iat = 0 } = decodeJwt(access_token)
      const sql = 'select expires_at from denied_tokens where token_id = $1'
      const { rows } = await pool.query(sql, [jti])
      t.is(rows[0].expires_at.getTime(), exp * 1000)
      t.is(exp - iat, 900)
      // After the sweep of entries that expired 900 seconds after the call arrived.
      environment.clock.now = new Date(start + 930_000)
      await sweep(database, environment.clock.now)
      t.like(await uses(transport, access_token), revoked)
    },
  )

  test(`a token of a deleted workspace, or of a former member, returns 401 ${over}`, async (t) => {
    const slug = `w-${Date.now()}-${transport.name}`
    const scenes = [await createScene(transport), await createScene(transport)] as const
    const names = ['the deletion of the workspace', 'the removal of the member']
    for (const [index, name] of names.entries()) {
      const scene = scenes[index] as Scene
      expectOk((await revocations[name]?.revoke(transport, scene)) as Outcome)
      const credentials = { token: scene.tokens.access_token }
      t.like(await transport.call('GetMe', {}, credentials), revoked)
      const workspace = { name: 'New', slug }
      t.like(await transport.call('CreateWorkspace', workspace, credentials), revoked)
      t.like(await refreshes(transport, scene.tokens.refresh_token), { code: 'unauthenticated' })
    }
  })
}

for (const transport of shortLivedEnvironment.transports) {
  test(`an access token does not outlive its session over ${transport.label}`, async (t) => {
    const { tokens } = await signIn(transport, shortLivedEnvironment.addProviderUser(), 'github')
    t.like(tokens, { expires_in: 600, refresh_expires_in: 600 })
    const next = expectOk(await refreshes(transport, tokens.refresh_token))
    for (const pair of [tokens, next]) {
      const ends = [pair.access_token, pair.refresh_token].map((token) => decodeJwt(token).exp)
      const { rows } = await shortLivedEnvironment.pool.query(
        'select f.expires_at from refresh_families f where user_id = $1',
        [decodeJwt(pair.access_token).sub],
      )
      t.deepEqual(ends, Array(2).fill(Math.floor(rows[0].expires_at.getTime() / 1000)))
    }
  })
}

for (const transport of limitedEnvironment.transports) {
  test(`the oldest session ends when a user exceeds the session limit over ${transport.label}`, async (t) => {
    const email = limitedEnvironment.addProviderUser()
    const all: Record<string, any>[] = []
    for (let count = 0; count < 5; count += 1)
      all.push((await signIn(transport, email, 'github')).tokens)
    const alive = await Promise.all(
      all.map(async ({ access_token }) => (await uses(transport, access_token)).ok),
    )
    t.deepEqual(alive, [false, false, true, true, true])
    t.like(await uses(transport, all[0]?.access_token), revoked)

    const codes = await Promise.all(Array.from({ length: 6 }, () => obtainCode(transport, email)))
    const outcomes = await Promise.all(
      codes.map(({ exchange }) => transport.call('ExchangeToken', exchange)),
    )
    t.deepEqual(failedCalls(outcomes), [])
    const { rows } = await limitedEnvironment.pool.query(
      'select from refresh_families where user_id = $1',
      [decodeJwt(all[0]?.access_token).sub],
    )
    t.is(rows.length, 3)
  })
}

test.after('no internal errors occurred', (t) => {
  t.deepEqual(
    [environment, shortLivedEnvironment, limitedEnvironment].flatMap(({ failures }) => failures),
    [],
  )
})
