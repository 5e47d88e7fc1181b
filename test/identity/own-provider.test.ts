// Threat: another issuer's subject 42; linking by an address that nobody proved.
import { randomUUID } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import { expectOk } from '../support/outcome.ts'
import { type MockAuthority, startMockAuthority } from '../support/providers/mock-authority.ts'
import { createSignInEnvironment, signInToApp } from '../support/sign-in.ts'
import type { Transport } from '../support/transports.ts'

const teardowns: (() => void)[] = []
const [former, current] = [await startAuthority(), await startAuthority()]
const before = await createEnvironment(former)
const { pool, seed, databaseUrl } = before
const after = await createEnvironment(current, { databaseUrl })
const trusting = await createEnvironment(current, { databaseUrl, trust: true })
test.after.always(async () => {
  await Promise.all([after.stop(), trusting.stop()])
  await before.stop()
  for (const teardown of teardowns) teardown()
})

function startAuthority() {
  return startMockAuthority({ teardown: (work) => teardowns.push(work as () => void) })
}

function createEnvironment(
  { url }: MockAuthority,
  { databaseUrl, trust = false }: { databaseUrl?: string; trust?: boolean } = {},
) {
  return createSignInEnvironment({
    settings: { OIDC_ISSUER: url, OIDC_TRUST_EMAIL: trust },
    ...(databaseUrl !== undefined && { databaseUrl }),
  })
}

/** Signs a person of an authority in. Returns the error, or undefined if there is none. */
async function errorOf(
  transport: Transport,
  authority: MockAuthority,
  claims: { sub: string; email: string; email_verified?: boolean | undefined },
): Promise<string | undefined> {
  authority.claims = { email_verified: true, ...claims }
  const { redirect } = await signInToApp(transport, 'oidc', '')
  return redirect.searchParams.get('error') ?? undefined
}

const newAddress = () => `ann-${randomUUID()}@example.com`

async function subjectsOf(email: string): Promise<string[]> {
  const { rows } = await pool.query(
    `select subject from linked_accounts a join users u on u.id = a.user_id
     where u.email = $1 order by a.created_at`,
    [email],
  )
  return rows.map(({ subject }) => subject)
}

async function link(t: ExecutionContext, userId: string, provider: string, email: string) {
  const { rowCount } = await pool.query(
    'insert into linked_accounts (provider, subject, user_id, email) values ($1, $2, $3, $4)',
    [provider, randomUUID(), userId, email],
  )
  t.is(rowCount, 1)
}

for (const [index, transport] of before.transports.entries()) {
  const over = `over ${transport.label}`
  const [laterTransport, trustingTransport] = [after, trusting].map(
    ({ transports }) => transports[index] as Transport,
  ) as [Transport, Transport]

  test.serial(`a subject of another issuer is another account ${over}`, async (t) => {
    const [sub, email] = [`42-${randomUUID()}`, newAddress()]
    t.is(await errorOf(transport, former, { sub, email }), undefined)
    const stranger = { sub, email: newAddress() }
    // A linked account would need no verified address.
    const unverified = { ...stranger, email_verified: false }
    t.is(await errorOf(laterTransport, current, unverified), 'email_not_verified')
    t.is(await errorOf(laterTransport, current, stranger), undefined)
    t.deepEqual(await subjectsOf(email), [`${former.url}#${sub}`])
    t.deepEqual(await subjectsOf(stranger.email), [`${current.url}#${sub}`])
  })

  test.serial(
    `an account of another issuer joins a user only with OIDC_TRUST_EMAIL ${over}`,
    async (t) => {
      const [sub, email] = ['7', newAddress()]
      t.is(await errorOf(transport, former, { sub: `${sub}-${email}`, email }), undefined)
      const same = { sub: `${sub}-${email}`, email }
      t.is(await errorOf(laterTransport, current, same), 'account_conflict')
      t.is((await subjectsOf(email)).length, 1)
      t.is(await errorOf(trustingTransport, current, same), undefined)
      t.is((await subjectsOf(email)).length, 2)
      // A second subject of the same issuer means that the address has changed hands.
      const second = { sub: randomUUID(), email }
      t.is(await errorOf(trustingTransport, current, second), 'account_conflict')
    },
  )

  test.serial(
    `a verified address suffices for a first sign-in and an invitation ${over}`,
    async (t) => {
      const [email, invited] = [newAddress(), newAddress()]
      const id = await seed.user('', { email: invited })
      await seed.member(await seed.workspace(), id)
      for (const address of [email, invited]) {
        const person = { sub: randomUUID(), email: address }
        for (const email_verified of [false, undefined])
          t.is(
            await errorOf(laterTransport, current, { ...person, email_verified }),
            'email_not_verified',
          )
        t.is(await errorOf(laterTransport, current, person), undefined)
        t.deepEqual(await subjectsOf(address), [`${current.url}#${person.sub}`])
      }
    },
  )

  test.serial(
    `a user with other accounts is joined only with OIDC_TRUST_EMAIL ${over}`,
    async (t) => {
      const email = newAddress()
      const id = await seed.user('known', { email })
      await link(t, id, 'google', email)
      const person = { sub: randomUUID(), email }
      t.is(await errorOf(laterTransport, current, person), 'account_conflict')
      const { rows } = await pool.query(
        "select count(*)::int as refusals from activity where action = 'user.link_refused' and target_id = $1",
        [id],
      )
      t.is(rows[0].refusals, 1)
      t.is((await subjectsOf(email)).length, 1)
      t.is(await errorOf(trustingTransport, current, person), undefined)
      t.is((await subjectsOf(email)).length, 2)
      // Once linked, the account needs no trust.
      t.is(await errorOf(laterTransport, current, person), undefined)
    },
  )

  test.serial(`a sign-in that began at the former issuer sends it no code ${over}`, async (t) => {
    const request = { redirect_uri: 'https://app.example.com/done?from=daikon' }
    const pkce = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' }
    const begun = expectOk(
      await transport.call('BeginLogin', { provider: 'oidc', ...request, ...pkce }),
    )
    const { state, login_state } = begun
    const callback = { provider: 'oidc', state, code: 'code of the former issuer', login_state }
    const completed = expectOk(await laterTransport.call('CompleteLogin', callback))
    t.is(new URL(completed.location).searchParams.get('error'), 'state_mismatch')
  })
}
