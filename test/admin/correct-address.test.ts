// Threat: an administrator corrects the address of an account, and somebody else still has access to it.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { decodeJwt } from 'jose'
import type { Mail } from '../../src/outbound/mail-client.ts'
import { createAdmin } from '../support/admin.ts'
import { runCli } from '../support/cli.ts'
import { createManagementApp } from '../support/management-apps.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { createSignInEnvironment, signIn } from '../support/sign-in.ts'
import { waitUntil } from '../support/wait-until.ts'

const mails: Mail[] = []
const environment = await createSignInEnvironment({
  dependencies: { sendMail: async (mail) => void mails.push(mail) },
})
const { pool, seed } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

const newAddress = () => `corrected-${randomUUID()}@example.com`
const reason = 'Married'

/** Signs a new person in, and returns them with their tokens. */
async function createSignedIn(transport: (typeof environment.transports)[number]) {
  const email = environment.addProviderUser()
  const { tokens } = await signIn(transport, email, 'google')
  return { id: decodeJwt(tokens.access_token).sub ?? '', email, tokens }
}

async function listCorrections(id: string) {
  const sql = `select detail from activity where target_id = $1 and action = 'user.email_changed'`
  return (await pool.query(sql, [id])).rows.map(({ detail }) => detail)
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  const call = (method: string, message: object) => admin.call(transport, method, message)
  const correct = (user_id: string, message: object) => call('UpdateUser', { user_id, ...message })

  test(`a corrected address ends the accounts and sessions of the user ${over}`, async (t) => {
    const { id, email: former, tokens } = await createSignedIn(transport)
    const email = newAddress()
    const user = expectOk(await correct(id, { email: ` ${email.toUpperCase()} `, reason }))
    t.like(user, { email, linked_accounts: [], sessions: [] })
    const refused = await transport.call('GetMe', {}, { token: tokens.access_token })
    t.is(expectError(refused).code, 'unauthenticated')
    t.deepEqual(await listCorrections(id), [{ reason, keep_sign_in: 'false' }])
    const sent = () => mails.filter(({ to }) => [former, email].includes(to))
    await waitUntil(() => sent().length === 2)
    t.false(sent().some(({ text, to }) => text.includes(to === email ? former : email)))
    environment.addProviderUser({ email })
    const { tokens: own } = await signIn(transport, email, 'google')
    t.is(decodeJwt(own.access_token).sub, id)
    const { tokens: others } = await signIn(transport, former, 'google')
    t.not(decodeJwt(others.access_token).sub, id)
  })

  test(`a corrected address can keep the sign-in, which does not bring the former back ${over}`, async (t) => {
    const { id, email: former, tokens } = await createSignedIn(transport)
    const email = newAddress()
    expectOk(await correct(id, { email, reason, keep_sign_in: true }))
    expectOk(await transport.call('GetMe', {}, { token: tokens.access_token }))
    const { tokens: again } = await signIn(transport, former, 'google')
    t.like(decodeJwt(again.access_token), { sub: id, email })
    t.deepEqual(await listCorrections(id), [{ reason, keep_sign_in: 'true' }])
  })

  test(`an address is corrected without a reason only before the first sign-in ${over}`, async (t) => {
    const [id, email] = [await seed.user('invited'), newAddress()]
    t.is(expectOk(await correct(id, { email })).email, email)
    expectOk(await correct(id, { email }))
    t.is((await listCorrections(id)).length, 1)
    const { id: known, email: former } = await createSignedIn(transport)
    for (const reason of [undefined, ' ', 'x'.repeat(501)]) {
      const { violations } = expectError(await correct(known, { email: newAddress(), reason }))
      t.is(violations[0]?.field, 'reason')
    }
    expectOk(await correct(known, { email: former }))
    const { violations } = expectError(await correct(known, { email: 'none', reason }))
    t.is(violations[0]?.field, 'email')
    const { etag: if_match } = expectOk(await call('GetUser', { user_id: id }))
    expectOk(await correct(id, { email: newAddress() }))
    t.is(expectError(await correct(id, { name: 'New', if_match })).reason, 'CHANGED_SINCE_READ')
  })

  test(`an address that another user has is refused ${over}`, async (t) => {
    const [id, email] = [await seed.user(), newAddress()]
    await seed.user('other', { email })
    const { code, reason } = expectError(await correct(id, { email }))
    t.deepEqual([code, reason], ['already_exists', 'EMAIL_TAKEN'])
  })

  test(`an address that a directory keeps is refused ${over}`, async (t) => {
    const [workspace, id, email] = [await seed.workspace(), await seed.user(), newAddress()]
    await seed.member(workspace, id, 'viewer')
    await pool.query(
      `insert into scim_users (workspace_id, user_id, user_name, attributes, is_active, created_at,
        updated_at) values ($1, $2, $3, '{}', true, now(), now())`,
      [workspace, id, email],
    )
    const { code, reason } = expectError(await correct(id, { email }))
    t.deepEqual([code, reason], ['already_exists', 'DIRECTORY_OWNED'])
  })

  test(`only administrators correct the address of an administrator ${over}`, async (t) => {
    const app = await createManagementApp(transport, admin, 'users:write')
    const correctAsApp = (user_id: string) =>
      transport.call('UpdateUser', { user_id, email: newAddress(), reason }, app.as)
    const id = await seed.user('boss')
    await pool.query('update users set is_admin = true where id = $1', [id])
    const { code, reason: refusal } = expectError(await correctAsApp(id))
    t.deepEqual([code, refusal], ['permission_denied', 'ADMINISTRATORS_ADDRESS'])
    expectOk(await correctAsApp(await seed.user('clerk')))
    expectOk(await correct(id, { email: newAddress() }))
  })

  test(`a correction forgets that an invitation could not be delivered ${over}`, async (t) => {
    const [workspace_id, id] = [await seed.workspace(), await seed.user()]
    const invited = { workspaceId: workspace_id, userId: id }
    await pool.query(
      `insert into members (workspace_id, user_id, role) values ($1, $2, 'viewer')`,
      Object.values(invited),
    )
    await pool.query(
      `insert into refused_invitations (workspace_id, user_id, status, refused_at)
        values ($1, $2, '550 5.1.1', now())`,
      Object.values(invited),
    )
    const list = async () => expectOk(await call('ListMembers', { workspace_id })).members
    t.is((await list())[0].email_refusal, '550 5.1.1')
    const [membership] = expectOk(await call('GetUser', { user_id: id })).memberships
    t.is(membership.email_refusal, '550 5.1.1')
    expectOk(await correct(id, { email: newAddress() }))
    t.is((await list())[0].email_refusal ?? null, null)
  })
}

test('daikon user update corrects an address', async (t) => {
  const [former, email] = [newAddress(), newAddress()]
  const id = await seed.user('invited', { email: former })
  const args = ['user', 'update', former, '--email', email, '--reason', reason, '--keep-sign-in']
  t.regex((await runCli(environment.databaseUrl, ...args)).out, new RegExp(email))
  t.deepEqual(await listCorrections(id), [{ reason, keep_sign_in: 'true' }])
})

test.after('no internal errors occurred', (t) => t.deepEqual([...environment.failures], []))
