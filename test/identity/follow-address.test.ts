// Threat: an address that moves to, or from, another person.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { decodeJwt } from 'jose'
import { providerIds } from '../../src/dev/mock-person.ts'
import type { Mail } from '../../src/outbound/mail-client.ts'
import { createStores } from '../../src/server/stores.ts'
import { expectOk } from '../support/outcome.ts'
import { createSignInEnvironment, signIn, signInAdmin } from '../support/sign-in.ts'
import { waitUntil } from '../support/wait-until.ts'

const mails: Mail[] = []
const boss = (label: string) => `boss-${label.toLowerCase()}@example.com`
const environment = await createSignInEnvironment({
  options: { ADMIN_EMAILS: ['gRPC', 'REST'].map(boss) },
  dependencies: { sendMail: async (mail) => void mails.push(mail) },
})
const { pool, seed } = environment
test.after.always(() => environment.stop())

/** Creates a user whose only account, at Google, now has another address. */
async function createMovedUser(person: { email?: string; verified?: boolean } = {}) {
  const email = environment.addProviderUser(person)
  const former = `former-${randomUUID()}@example.com`
  const id = await seed.user('moved', { email: former })
  await link(id, 'google', providerIds({ name: '', email }).sub, former)
  return { id, email, former }
}

async function link(userId: string, provider: string, subject: string, email: string) {
  await pool.query(
    'insert into linked_accounts (provider, subject, user_id, email) values ($1, $2, $3, $4)',
    [provider, subject, userId, email],
  )
}

async function findUser(id: string) {
  const sql = `select u.email, u.is_admin, a.email as linked from users u
    join linked_accounts a on a.user_id = u.id and a.provider = 'google' where u.id = $1`
  return (await pool.query(sql, [id])).rows[0]
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`the address of a user follows the one that their only provider has verified ${over}`, async (t) => {
    const { id, email, former } = await createMovedUser()
    const { tokens } = await signIn(transport, email, 'google')
    t.like(decodeJwt(tokens.access_token), { sub: id, email })
    t.is(expectOk(await transport.call('GetMe', {}, { token: tokens.access_token })).email, email)
    t.deepEqual(await findUser(id), { email, is_admin: false, linked: email })
    const entries = `select actor_id, detail from activity where target_id = $1 and action = 'user.email_changed'`
    const expected = [{ actor_id: id, detail: { provider: 'google' } }]
    t.deepEqual((await pool.query(entries, [id])).rows, expected)
    await waitUntil(() => mails.some(({ to }) => to === former))
    const [mail, ...others] = mails.filter(({ to }) => to === former)
    t.deepEqual(others, [])
    t.regex(mail?.subject ?? '', /^Your e-mail address at localhost:8000 has changed$/)
    t.false(mail?.text.includes(email), 'the former address may be somebody else’s')
    await signIn(transport, email, 'google')
    t.deepEqual((await pool.query(entries, [id])).rows, expected)
    t.false(mails.some(({ to }) => to === email))
  })

  test(`an address follows neither unverified nor from one of several accounts ${over}`, async (t) => {
    const unverified = await createMovedUser({ verified: false })
    await signIn(transport, unverified.email, 'google')
    t.is((await findUser(unverified.id)).email, unverified.former)
    const several = await createMovedUser()
    await link(several.id, 'github', randomUUID(), several.former)
    await signIn(transport, several.email, 'google')
    t.is((await findUser(several.id)).email, several.former)
  })

  test(`an address that somebody has does not follow ${over}`, async (t) => {
    const { id, email, former } = await createMovedUser()
    await seed.user('other', { email })
    await signIn(transport, email, 'google')
    t.is((await findUser(id)).email, former)
    t.false(mails.some(({ to }) => to === former))
  })

  test(`a directory and a connection keep the address of their members ${over}`, async (t) => {
    const workspace = await seed.workspace()
    const provisioned = await createMovedUser()
    await seed.member(workspace, provisioned.id, 'viewer')
    await pool.query(
      `insert into scim_users (workspace_id, user_id, user_name, attributes, is_active, created_at,
        updated_at) values ($1, $2, $3, '{}', true, now(), now())`,
      [workspace, provisioned.id, provisioned.former],
    )
    await signIn(transport, provisioned.email, 'google')
    t.is((await findUser(provisioned.id)).email, provisioned.former)
    const connected = await createMovedUser()
    await seed.member(workspace, connected.id, 'viewer')
    const connectionId = await seed.connection(workspace, 'https://idp.example.com')
    const { connectionSubjects } = createStores(environment.database.fork())
    const subject = { connectionId, subject: 'moved', email: connected.former }
    const member = { workspaceId: workspace, userId: connected.id }
    await connectionSubjects.link({ ...subject, ...member }, new Date())
    await signIn(transport, connected.email, 'google')
    t.is((await findUser(connected.id)).email, connected.former)
  })

  test(`an address that follows promotes nobody at that sign-in ${over}`, async (t) => {
    const { id, email } = await createMovedUser({ email: boss(transport.label) })
    const { admin } = await signInAdmin(transport, email, 'google')
    t.is(admin, undefined)
    t.deepEqual(await findUser(id), { email, is_admin: false, linked: email })
  })

  test(`an address is taken once by two people who sign in at the same time ${over}`, async (t) => {
    const { id, email, former } = await createMovedUser()
    const [first, second] = await Promise.all([
      signIn(transport, email, 'google'),
      signIn(transport, email, 'github'),
    ])
    const subs = [first, second].map(({ tokens }) => decodeJwt(tokens.access_token).sub)
    t.is(subs[0], id)
    const { email: now } = await findUser(id)
    t.is(now, subs[1] === id ? email : former)
  })
}

test.after('no internal errors occurred', (t) => t.deepEqual([...environment.failures], []))
