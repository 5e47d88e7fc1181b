import { randomUUID } from 'node:crypto'
import test from 'ava'
import { listActivity } from '../support/activity.ts'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import {
  addPasskey,
  assertIn,
  beginPasskey,
  beginSignIn,
  comeBack,
  createPasskeyEnvironment,
  origin,
  signInToAccount,
  signInToAccountWithPasskey,
  signInWithPasskey,
} from '../support/passkeys.ts'
import { signIn } from '../support/sign-in.ts'
import { createSoftPasskey } from '../support/software-authenticator.ts'
import type { Transport } from '../support/transports.ts'

const environment = await createPasskeyEnvironment({ MAX_PASSKEYS_PER_USER: 3 })
const { pool } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

const newUser = (transport: Transport) => signInToAccount(transport, environment.addProviderUser())

const isValid = async (transport: Transport, token: string | undefined): Promise<boolean> =>
  (await transport.call('GetMe', {}, { token: token ?? '' })).ok

type Listed = {
  id: string
  name: string
  created_at: string
  last_used_at: string | null
  backed_up: boolean
  transports: string[]
}

const list = async (transport: Transport, token: string): Promise<Listed[]> =>
  expectOk(await transport.call('ListPasskeys', {}, { token })).passkeys

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`the options of a new passkey are those of a discoverable one ${over}`, async (t) => {
    const email = environment.addProviderUser({ name: 'Ann' })
    const { token, userId } = await signInToAccount(transport, email)
    const { passkey } = await addPasskey(transport, token)
    const options = await beginPasskey(transport, token)
    t.like(options, {
      rp: { id: 'localhost', name: 'localhost:8000' },
      user: { name: email, displayName: 'Ann' },
      attestation: 'none',
      pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: 'public-key', alg })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: [{ id: passkey.id, type: 'public-key' }],
    })
    // The handle is the same for all passkeys of a user, and reveals nothing about them.
    t.is(options.user.id, passkey.userHandle)
    const handle = Buffer.from(options.user.id, 'base64url')
    t.is(handle.length, 64)
    t.false(
      handle.includes(userId) || handle.includes(Buffer.from(userId.replace(/-/g, ''), 'hex')),
    )
  })

  test(`a user adds, renames and removes passkeys ${over}`, async (t) => {
    const email = environment.addProviderUser()
    const { token, userId } = await signInToAccount(transport, email)
    const options = await beginPasskey(transport, token)
    const { credential } = createSoftPasskey(options, origin, {
      isBackupEligible: true,
      isBackedUp: true,
    })
    const message = { credential, name: ' My phone ' }
    const added = expectOk(await transport.call('CreatePasskey', message, { token }))
    t.like(added, { name: 'My phone', backed_up: true, transports: ['internal'] })
    const { passkeyId } = await addPasskey(transport, token)
    t.deepEqual(
      (await list(transport, token)).map(({ id, name }) => [id, name]),
      [
        [added.id, 'My phone'],
        [passkeyId, 'Passkey'],
      ],
    )
    const rename = (passkey_id: string, as = token) =>
      transport.call('UpdatePasskey', { passkey_id, name: 'Key' }, { token: as })
    t.is(expectOk(await rename(passkeyId)).name, 'Key')
    const stranger = await newUser(transport)
    t.is(expectError(await rename(passkeyId, stranger.token)).reason, 'PASSKEY_NOT_FOUND')
    const remove = (passkey_id: string, as = token) =>
      transport.call('DeletePasskey', { passkey_id }, { token: as })
    t.is(expectError(await remove(passkeyId, stranger.token)).reason, 'PASSKEY_NOT_FOUND')
    expectOk(await remove(passkeyId))
    t.is(expectError(await remove(passkeyId)).reason, 'PASSKEY_NOT_FOUND')
    t.is((await list(transport, token)).length, 1)
    // Passkeys are not among the accounts of providers, and cannot be unlinked as such.
    const { accounts } = expectOk(await transport.call('ListAccounts', {}, { token }))
    t.deepEqual(
      accounts.map(({ provider }: { provider: string }) => provider),
      ['google'],
    )
    const events = (await listActivity(pool, userId)).filter(({ action }) =>
      action.startsWith('user.passkey_'),
    )
    t.deepEqual(
      events.map(({ action, detail }) => [action, detail.passkey_id, detail.method]).toSorted(),
      [
        ['user.passkey_added', added.id, 'google'],
        ['user.passkey_added', passkeyId, 'google'],
        ['user.passkey_removed', passkeyId, undefined],
        ['user.passkey_renamed', passkeyId, undefined],
      ].toSorted(),
    )
  })

  test(`only the account page changes passkeys ${over}`, async (t) => {
    const email = environment.addProviderUser()
    const { tokens } = await signIn(transport, email)
    const token = tokens.access_token as string
    const passkey_id = randomUUID()
    const calls: [string, object][] = [
      ['BeginPasskey', {}],
      ['CreatePasskey', { credential: {} }],
      ['UpdatePasskey', { passkey_id, name: 'Key' }],
      ['DeletePasskey', { passkey_id }],
    ]
    for (const [method, message] of calls)
      t.is(
        expectError(await transport.call(method, message, { token })).reason,
        'ACCOUNT_PAGE_ONLY',
      )
    t.deepEqual(await list(transport, token), [])
  })

  test(`a user has a limited number of passkeys, also of those added at once ${over}`, async (t) => {
    const { token } = await newUser(transport)
    await addPasskey(transport, token)
    const all = await Promise.all([1, 2, 3, 4].map(() => beginPasskey(transport, token)))
    const outcomes = await Promise.all(
      all.map((options) => {
        const { credential } = createSoftPasskey(options, origin)
        return transport.call('CreatePasskey', { credential }, { token })
      }),
    )
    t.is(outcomes.filter(({ ok }) => ok).length, 2)
    for (const outcome of outcomes)
      if (!outcome.ok) t.like(outcome, { code: 'resource_exhausted', reason: 'TOO_MANY_PASSKEYS' })
    const further = await transport.call('BeginPasskey', {}, { token })
    t.is(expectError(further).reason, 'TOO_MANY_PASSKEYS')
  })

  test(`a passkey ends with the sessions that it began, but not that of the caller ${over}`, async (t) => {
    const email = environment.addProviderUser()
    const { token } = await signInToAccount(transport, email)
    const first = await addPasskey(transport, token)
    const second = await addPasskey(transport, token)
    const byFirst = await signInWithPasskey(transport, first.passkey)
    const bySecond = await signInWithPasskey(transport, second.passkey)
    // A sign-in whose code has not been exchanged yet.
    const open = await beginSignIn(transport)
    const { location } = await comeBack(transport, open, first.passkey)
    const code = new URL(location).searchParams.get('code') ?? ''
    const own = await signInToAccountWithPasskey(transport, first.passkey)
    const sessions = expectOk(await transport.call('ListSessions', {}, { token })).sessions
    const providers = sessions.map(({ provider }: { provider: string }) => provider)
    t.deepEqual([...new Set(providers)].toSorted(), ['google', 'passkey'])

    const message = { passkey_id: first.passkeyId }
    expectOk(await transport.call('DeletePasskey', message, { token: own.token }))
    t.false(await isValid(transport, byFirst.access_token))
    t.true(await isValid(transport, bySecond.access_token))
    t.true(await isValid(transport, own.token))
    t.true(await isValid(transport, token))
    t.is(expectError(await transport.call('ListCodeWorkspaces', { code })).reason, 'CODE_REFUSED')
    const refreshed = { refresh_token: byFirst.refresh_token }
    t.false((await transport.call('RefreshToken', refreshed)).ok)
  })

  test(`the last way in stays, also when two are removed at once ${over}`, async (t) => {
    for (let round = 0; round < 3; round++) {
      const email = environment.addProviderUser()
      const { token } = await signInToAccount(transport, email)
      const { passkeyId, passkey } = await addPasskey(transport, token)
      const { accounts } = expectOk(await transport.call('ListAccounts', {}, { token }))
      const removePasskey = () =>
        transport.call('DeletePasskey', { passkey_id: passkeyId }, { token })
      const unlink = () =>
        transport.call('UnlinkAccount', { account_id: accounts[0].id }, { token })
      const removals = round === 1 ? [unlink, removePasskey] : [removePasskey, unlink]
      const outcomes = await Promise.all(removals.map((remove) => remove()))
      t.deepEqual(outcomes.map(({ ok }) => ok).toSorted(), [false, true])
      for (const outcome of outcomes)
        if (!outcome.ok) t.like(outcome, { code: 'already_exists', reason: 'LAST_ACCOUNT' })
      const left = await list(transport, token)
      const linked = expectOk(await transport.call('ListAccounts', {}, { token })).accounts
      t.is(left.length + linked.length, 1)
      if (left.length === 1) await t.notThrowsAsync(signInWithPasskey(transport, passkey))
      t.is(
        expectError(await (left.length === 1 ? removePasskey() : unlink())).reason,
        'LAST_ACCOUNT',
      )
    }
  })

  test(`administrators list and remove passkeys ${over}`, async (t) => {
    const email = environment.addProviderUser()
    const { token, userId: user_id } = await signInToAccount(transport, email)
    const { passkey, passkeyId } = await addPasskey(transport, token)
    const session = await signInWithPasskey(transport, passkey)
    const call = (method: string, message: object) =>
      transport.call(method, message, { admin: admin.token })
    const { passkeys } = expectOk(await call('ListUserPasskeys', { user_id }))
    t.is(passkeys.length, 1)
    t.like(passkeys[0], { id: passkeyId, name: 'Passkey' })
    const unknown = await call('ListUserPasskeys', { user_id: randomUUID() })
    t.is(expectError(unknown).reason, 'USER_NOT_FOUND')
    const other = await newUser(transport)
    const wrong = await call('DeleteUserPasskey', { user_id: other.userId, passkey_id: passkeyId })
    t.is(expectError(wrong).reason, 'PASSKEY_NOT_FOUND')
    expectOk(await call('DeleteUserPasskey', { user_id, passkey_id: passkeyId }))
    t.false(await isValid(transport, session.access_token))
    t.true(await isValid(transport, token))
    t.is(
      expectError(await assertIn(transport, await beginSignIn(transport), passkey)).reason,
      'PASSKEY_UNKNOWN',
    )
  })

  test(`export and erasure know passkeys ${over}`, async (t) => {
    const email = environment.addProviderUser()
    const { token, userId: user_id } = await signInToAccount(transport, email)
    const { passkeyId } = await addPasskey(transport, token)
    const call = (method: string) => transport.call(method, { user_id }, { admin: admin.token })
    const exported = expectOk(await call('ExportUser'))
    t.is(exported.passkeys.length, 1)
    t.like(exported.passkeys[0], { id: passkeyId, name: 'Passkey' })
    expectOk(await call('DeleteUser'))
    const left: [sql: string, id: string][] = [
      ['select from passkeys where account_id = $1', passkeyId],
      ['select from passkey_handles where user_id = $1', user_id],
    ]
    for (const [sql, id] of left) t.is((await pool.query(sql, [id])).rowCount, 0, sql)
  })

  test(`a corrected address ends passkeys ${over}`, async (t) => {
    const email = environment.addProviderUser()
    const { token, userId: user_id } = await signInToAccount(transport, email)
    const { passkey } = await addPasskey(transport, token)
    const kept = `kept-${randomUUID()}@example.com`
    const correct = (email: string, keep_sign_in: boolean) =>
      transport.call(
        'UpdateUser',
        { user_id, email, reason: 'Married', keep_sign_in },
        { admin: admin.token },
      )
    expectOk(await correct(kept, true))
    await signInWithPasskey(transport, passkey)
    expectOk(await correct(`other-${randomUUID()}@example.com`, false))
    const refused = await assertIn(transport, await beginSignIn(transport), passkey)
    t.is(expectError(refused).reason, 'PASSKEY_UNKNOWN')
  })
}
