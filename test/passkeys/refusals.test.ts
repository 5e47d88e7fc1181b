// Threat: a passkey enrolled for somebody else's account; a response of another page, device or sign-in.
import { randomBytes } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import { listActivity } from '../support/activity.ts'
import { waitUntilBlocked } from '../support/lock-waits.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import {
  addPasskey,
  assertIn,
  beginPasskey,
  beginSignIn,
  createPasskeyEnvironment,
  origin,
  readOptions,
  signInToAccount,
  signInWithPasskey,
} from '../support/passkeys.ts'
import {
  assertSoftPasskey,
  createSoftPasskey,
  type Deviation,
} from '../support/software-authenticator.ts'
import type { Transport } from '../support/transports.ts'

const environment = await createPasskeyEnvironment()
const { pool, clock } = environment
// Its challenges have the same key.
const otherDomain = await environment.addNode({ PASSKEY_RP_ID: 'example.com' })
test.after.always(() => environment.stop())

const newUser = (transport: Transport) => signInToAccount(transport, environment.addProviderUser())

const countPasskeys = async (userId: string): Promise<number> => {
  const sql = `select count(*)::int as count from passkeys p join linked_accounts a on a.id = p.account_id
    where a.user_id = $1`
  return (await pool.query(sql, [userId])).rows[0].count
}

/** Deviations of responses to both ceremonies, and what the refusal says about them. */
const deviations: [deviation: Deviation, problem: RegExp][] = [
  [{ origin: 'http://localhost:9000' }, /page of another origin/],
  [{ origin: 'https://localhost:8000' }, /page of another origin/],
  [{ rpId: 'example.com' }, /another RP ID/],
  [{ crossOrigin: true }, /within one of another origin/],
  [{ topOrigin: 'https://evil.example' }, /within one of another origin/],
  [{ isPresent: false }, /not present/],
  [{ isVerified: false }, /not verified/],
  [{ isBackedUp: true, isBackupEligible: false }, /has a backup/],
  [{ challenge: randomBytes(54).toString('base64url') }, /challenge/],
  [{ challenge: '' }, /challenge/],
]

for (const [index, transport] of environment.transports.entries()) {
  const over = `over ${transport.label}`

  const refusesCreation = async (
    t: ExecutionContext,
    token: string,
    deviation: Deviation,
    problem: RegExp,
  ) => {
    const options = await beginPasskey(transport, token)
    const { credential } = createSoftPasskey(options, origin, deviation)
    const refused = expectError(await transport.call('CreatePasskey', { credential }, { token }))
    t.like(refused, { code: 'failed_precondition', reason: 'PASSKEY_REFUSED' })
    t.regex(refused.detail, problem, JSON.stringify(deviation))
  }

  test(`the creation of a passkey is refused if its response differs ${over}`, async (t) => {
    const { token, userId } = await newUser(transport)
    const certificate = new Map([['x5c', [new Uint8Array(8)]]])
    const own: [Deviation, RegExp][] = [
      [{ type: 'webauthn.get' }, /type is not webauthn.create/],
      [{ algorithm: -35 }, /cannot be verified/],
      [{ attestation: { fmt: 'packed', attStmt: certificate } }, /certificate/],
      [{ attestation: { fmt: 'tpm', attStmt: certificate } }, /certificate/],
    ]
    for (const [deviation, problem] of [...deviations, ...own])
      await refusesCreation(t, token, deviation, problem)
    t.is(await countPasskeys(userId), 0)
    const several = { origin: 'https://evil.example', isVerified: false }
    await refusesCreation(t, token, several, /another origin.*not verified/)
  })

  test(`a sign-in with a passkey is refused if its response differs ${over}`, async (t) => {
    const { token } = await newUser(transport)
    const { passkey } = await addPasskey(transport, token)
    const own: [Deviation, RegExp][] = [
      [{ type: 'webauthn.create' }, /type is not webauthn.get/],
      [{ isBackupEligible: true }, /backup eligibility/],
      [{ signature: randomBytes(70) }, /cannot be verified|signature/],
    ]
    for (const [deviation, problem] of [...deviations, ...own]) {
      const open = await beginSignIn(transport)
      const refused = expectError(await assertIn(transport, open, passkey, deviation))
      t.like(refused, { code: 'failed_precondition', reason: 'PASSKEY_REFUSED' })
      t.regex(refused.detail, problem, JSON.stringify(deviation))
    }
    await t.notThrowsAsync(signInWithPasskey(transport, passkey))
  })

  test(`a challenge creates one passkey, of its session alone ${over}`, async (t) => {
    const email = environment.addProviderUser()
    const mine = await signInToAccount(transport, email)
    const again = await signInToAccount(transport, email)
    const other = await newUser(transport)
    const refuses = async (token: string, options: Parameters<typeof createSoftPasskey>[0]) => {
      const { credential } = createSoftPasskey(options, origin)
      const refused = expectError(await transport.call('CreatePasskey', { credential }, { token }))
      t.regex(refused.detail, /challenge/)
    }
    await refuses(other.token, await beginPasskey(transport, mine.token))
    // Another session of the same user.
    await refuses(again.token, await beginPasskey(transport, mine.token))
    const options = await beginPasskey(transport, mine.token)
    const { credential } = createSoftPasskey(options, origin)
    expectOk(await transport.call('CreatePasskey', { credential }, { token: mine.token }))
    await refuses(mine.token, options)
    // The same bytes.
    await refuses(mine.token, { ...options, challenge: `${options.challenge}=` })
    // The challenge of a sign-in.
    await refuses(mine.token, await readOptions(transport, await beginSignIn(transport)))
    // After the session.
    const late = await beginPasskey(transport, again.token)
    expectOk(await transport.call('EndOtherSessions', {}, { token: mine.token }))
    const ended = await transport.call(
      'CreatePasskey',
      { credential: createSoftPasskey(late, origin).credential },
      { token: again.token },
    )
    t.is(expectError(ended).code, 'unauthenticated')
    t.is(await countPasskeys(mine.userId), 1)
    t.is(await countPasskeys(other.userId), 0)
  })

  test(`a challenge is for one RP ID ${over}`, async (t) => {
    const { token } = await newUser(transport)
    const { passkey } = await addPasskey(transport, token)
    const elsewhere = otherDomain.transports[index] as Transport
    const { challenge } = await beginPasskey(elsewhere, token)
    await refusesCreation(t, token, { challenge }, /another sign-in, session or domain/)
    const open = await beginSignIn(transport)
    const asked = await readOptions(elsewhere, open)
    const deviation = { challenge: asked.challenge }
    const refused = expectError(await assertIn(transport, open, passkey, deviation))
    t.regex(refused.detail, /another sign-in, session or domain/)
  })

  test(`the ID of a new passkey is the one that its authenticator names ${over}`, async (t) => {
    const { token, userId } = await newUser(transport)
    const { credential } = createSoftPasskey(await beginPasskey(transport, token), origin)
    const id = randomBytes(32).toString('base64url')
    const message = { credential: { ...credential, id, rawId: id } }
    const refused = expectError(await transport.call('CreatePasskey', message, { token }))
    t.regex(refused.detail, /another credential/)
    t.is(await countPasskeys(userId), 0)
  })

  test.serial(`a session that ends during the creation adds no passkey ${over}`, async (t) => {
    const { token, userId } = await newUser(transport)
    const { credential } = createSoftPasskey(await beginPasskey(transport, token), origin)
    const lock = await pool.connect()
    try {
      await lock.query('begin')
      await lock.query('select from users where id = $1 for update', [userId])
      const adding = transport.call('CreatePasskey', { credential }, { token })
      await waitUntilBlocked(pool)
      await lock.query('delete from refresh_families where user_id = $1', [userId])
      await lock.query('commit')
      t.is(expectError(await adding).code, 'unauthenticated')
    } finally {
      lock.release()
    }
    t.is(await countPasskeys(userId), 0)
  })

  test(`a user changes no passkey of another user ${over}`, async (t) => {
    const [mine, other] = [await newUser(transport), await newUser(transport)]
    const { passkeyId: passkey_id } = await addPasskey(transport, other.token)
    for (const [method, message] of [
      ['UpdatePasskey', { passkey_id, name: 'Mine' }],
      ['DeletePasskey', { passkey_id }],
    ] as const) {
      const refused = await transport.call(method, message, { token: mine.token })
      t.is(expectError(refused).reason, 'PASSKEY_NOT_FOUND')
    }
    const { passkeys } = expectOk(await transport.call('ListPasskeys', {}, { token: other.token }))
    t.not(passkeys[0].name, 'Mine')
  })

  test(`two uses of a challenge at once create one passkey ${over}`, async (t) => {
    const { token, userId } = await newUser(transport)
    const options = await beginPasskey(transport, token)
    const outcomes = await Promise.all(
      [1, 2].map(() => {
        const { credential } = createSoftPasskey(options, origin)
        return transport.call('CreatePasskey', { credential }, { token })
      }),
    )
    t.deepEqual(outcomes.map(({ ok }) => ok).toSorted(), [false, true])
    t.is(await countPasskeys(userId), 1)
  })

  test(`a challenge signs in once, in its own flow ${over}`, async (t) => {
    const { token } = await newUser(transport)
    const { passkey } = await addPasskey(transport, token)
    const open = await beginSignIn(transport)
    const other = await beginSignIn(transport)
    const options = await readOptions(transport, open)
    const credential = assertSoftPasskey(passkey, options, origin)
    const send = ({ state, login_state }: typeof open) =>
      transport.call('CompletePasskeySignIn', { state, login_state, credential })
    t.regex(expectError(await send(other)).detail, /another sign-in/)
    // The state of one flow with the cookie of another.
    const mixed = { ...open, login_state: other.login_state }
    t.is(expectError(await send(mixed)).reason, 'STATE_REFUSED')
    expectOk(await send(open))
    t.regex(expectError(await send(open)).detail, /used before/)
  })

  test(`an unknown passkey, another user's handle and a removed passkey are refused alike ${over}`, async (t) => {
    const [mine, other] = [await newUser(transport), await newUser(transport)]
    const { passkey } = await addPasskey(transport, mine.token)
    const { passkey: theirs } = await addPasskey(transport, other.token)
    const removed = await addPasskey(transport, mine.token)
    const message = { passkey_id: removed.passkeyId }
    expectOk(await transport.call('DeletePasskey', message, { token: mine.token }))
    const deleted = await newUser(transport)
    const { passkey: ofDeleted } = await addPasskey(transport, deleted.token)
    await pool.query('delete from users where id = $1', [deleted.userId])
    const refusals = [
      { ...passkey, id: randomBytes(32).toString('base64url') },
      { ...passkey, userHandle: theirs.userHandle },
      { ...passkey, userHandle: randomBytes(64).toString('base64url') },
      removed.passkey,
      ofDeleted,
    ].map(async (wrong) => {
      const outcome = await assertIn(transport, await beginSignIn(transport), wrong)
      const { code, reason, detail } = expectError(outcome)
      return { code, reason, detail }
    })
    const [first, ...rest] = await Promise.all(refusals)
    t.is(first?.reason, 'PASSKEY_UNKNOWN')
    for (const refusal of rest) t.deepEqual(refusal, first)
  })

  test(`a credential of another user is a conflict, without saying whose ${over}`, async (t) => {
    const [mine, other] = [await newUser(transport), await newUser(transport)]
    const { passkey } = await addPasskey(transport, mine.token)
    for (const { token } of [other, mine]) {
      const options = await beginPasskey(transport, token)
      const { credential } = createSoftPasskey(options, origin, { id: passkey.id })
      const refused = expectError(await transport.call('CreatePasskey', { credential }, { token }))
      t.like(refused, {
        code: 'already_exists',
        reason: 'PASSKEY_TAKEN',
        detail: 'The passkey exists already',
      })
    }
    t.is(await countPasskeys(other.userId), 0)
  })

  test(`a counter must grow, unless the passkey can be copied ${over}`, async (t) => {
    const { token, userId } = await newUser(transport)
    const { passkey, passkeyId } = await addPasskey(transport, token)
    await signInWithPasskey(transport, passkey, { counter: 0 })
    await signInWithPasskey(transport, passkey, { counter: 5 })
    // A refused counter is not kept: 4 must not follow 0.
    for (const counter of [5, 0, 4]) {
      const open = await beginSignIn(transport)
      const refused = expectError(await assertIn(transport, open, passkey, { counter }))
      t.regex(refused.detail, /counter/)
    }
    await signInWithPasskey(transport, passkey, { counter: 6 })
    const synced = await addPasskey(transport, token, { isBackupEligible: true })
    await signInWithPasskey(transport, synced.passkey, { counter: 9 })
    await signInWithPasskey(transport, synced.passkey, { counter: 3 })
    const regressions = (await listActivity(pool, userId))
      .filter(({ action }) => action === 'user.passkey_counter_regressed')
      .map(({ detail }) => detail)
    const refusal = { passkey_id: passkeyId, refused: 'true' }
    t.deepEqual(
      regressions.toSorted((a, b) => (a.refused < b.refused ? 1 : -1)),
      [...Array(3).fill(refusal), { passkey_id: synced.passkeyId, refused: 'false' }],
    )
  })

  test(`the form of a credential is checked, and each mistake named ${over}`, async (t) => {
    const { token } = await newUser(transport)
    const credential = { id: 'ä', rawId: 'AA', type: 'other', response: {} }
    const invalid = expectError(await transport.call('CreatePasskey', { credential }, { token }))
    t.is(invalid.code, 'invalid_argument')
    const fields = ['id', 'rawId', 'type', 'response.clientDataJSON', 'response.attestationObject']
    for (const field of fields) t.true(invalid.detail.includes(`credential.${field}`), field)
    const { state, login_state } = await beginSignIn(transport)
    const sent = { state, login_state, credential: { id: 'AA', type: 'public-key' } }
    const other = expectError(await transport.call('CompletePasskeySignIn', sent))
    t.is(other.code, 'invalid_argument')
    const big = { id: 'A'.repeat(1365), type: 'public-key', response: {} }
    const long = expectError(await transport.call('CreatePasskey', { credential: big }, { token }))
    t.true(long.detail.includes('credential.id'))
  })

  test.serial(`a challenge expires after five minutes ${over}`, async (t) => {
    const { token } = await newUser(transport)
    const { passkey } = await addPasskey(transport, token)
    const open = await beginSignIn(transport)
    const options = await readOptions(transport, open)
    const creation = await beginPasskey(transport, token)
    clock.now = new Date(Date.now() + 301_000)
    t.teardown(() => {
      clock.now = undefined
    })
    const credential = assertSoftPasskey(passkey, options, origin)
    const { state, login_state } = open
    const late = await transport.call('CompletePasskeySignIn', { state, login_state, credential })
    t.regex(expectError(late).detail, /expired/)
    const created = createSoftPasskey(creation, origin).credential
    const refused = await transport.call('CreatePasskey', { credential: created }, { token })
    t.regex(expectError(refused).detail, /expired/)
    // The page asks for another challenge in the same sign-in.
    expectOk(await assertIn(transport, open, passkey))
  })
}
