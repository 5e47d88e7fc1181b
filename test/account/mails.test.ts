// Threat: a way to sign in is added or removed without the owner of the account learning it.
import test from 'ava'
import { openLinkPage, signInToAccountPage, signInToLink } from '../support/account-page.ts'
import { createEmailEnvironment } from '../support/email-sign-in.ts'
import { expectOk } from '../support/outcome.ts'
import { beginPasskey, origin } from '../support/passkeys.ts'
import { signIn, signInAdmin } from '../support/sign-in.ts'
import { createSoftPasskey } from '../support/software-authenticator.ts'

const environment = await createEmailEnvironment({
  options: { SIGN_IN_METHODS: ['google', 'github', 'email', 'passkey'] },
})
const { mails, pool } = environment
test.after.always(() => environment.stop())

const mailsTo = (email: string) => mails.filter(({ to }) => to === email)

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`an e-mail tells about each change of how somebody signs in ${over}`, async (t) => {
    const page = await signInToAccountPage(environment, transport)
    const call = async (method: string, message: object) =>
      expectOk(await transport.call(method, message, { token: page.token }))
    const tells = (subject: string) => {
      const [mail, ...others] = mailsTo(page.email).splice(told)
      t.is(mail?.subject, `${subject} at localhost:8000`)
      t.deepEqual(others, [])
      told += 1
      return mail
    }
    let told = 0
    const options = await beginPasskey(transport, page.token)
    const { credential } = createSoftPasskey(options, origin)
    const passkey = await call('CreatePasskey', { credential, name: '<b>Laptop</b>' })
    const added = tells('A passkey was added')
    t.true(added?.text.includes('"<b>Laptop</b>"'))
    t.false(added?.html?.includes('<b>'))
    await call('UpdatePasskey', { passkey_id: passkey.id, name: 'Laptop' })
    await call('DeletePasskey', { passkey_id: passkey.id })
    tells('A passkey was removed')

    const callback = await signInToLink(transport, page, environment.addProviderUser())
    const { choice } = await openLinkPage(transport, callback)
    expectOk(await transport.call('ConfirmAccountLink', choice as object))
    t.true(tells('An account was added')?.text.includes('GitHub'))
    const { accounts } = await call('ListAccounts', {})
    await call('UnlinkAccount', { account_id: accounts[1].id })
    t.true(tells('An account was removed')?.text.includes('GitHub'))

    await call('SetEmailSignIn', { enabled: false })
    tells('Codes by e-mail were turned off')
    await call('SetEmailSignIn', { enabled: false })
    await call('SetEmailSignIn', { enabled: true })
    tells('Codes by e-mail were turned on')

    await call('DeleteMe', {})
    t.is(mailsTo(page.email).length, told + 1)
    t.is(mailsTo(page.email).at(-1)?.subject, 'Your account at localhost:8000 was deleted')
  })

  test(`an e-mail tells about an account that is linked by its address ${over}`, async (t) => {
    const email = environment.addProviderUser()
    await signIn(transport, email, 'google')
    t.deepEqual(mailsTo(email), [], 'the first sign-in is the user’s own')
    // Refused, so it links nothing.
    const { location } = await signInAdmin(transport, email, 'github')
    t.is(new URL(location).searchParams.get('error'), 'not_admin')
    t.deepEqual(mailsTo(email), [])
    for (let signIns = 0; signIns < 2; signIns += 1) {
      await signIn(transport, email, 'github')
      const [mail, ...others] = mailsTo(email)
      t.is(mail?.subject, 'An account was added at localhost:8000')
      t.true(mail?.text.includes('GitHub'))
      t.deepEqual(others, [])
    }
  })

  test(`a person who is invited gets no e-mail about their first account ${over}`, async (t) => {
    const email = environment.addProviderUser()
    const invited = await environment.seed.user('', { email })
    await environment.seed.member(await environment.seed.workspace(), invited, 'viewer')
    await signIn(transport, email, 'google')
    const sql = 'select user_id from linked_accounts where email = $1'
    t.deepEqual((await pool.query(sql, [email])).rows, [{ user_id: invited }])
    t.deepEqual(mailsTo(email), [])
  })
}

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
