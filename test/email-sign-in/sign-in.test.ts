import test from 'ava'
import { createEmailEnvironment, Visitor } from '../support/email-sign-in.ts'
import { expectOk } from '../support/outcome.ts'

const environment = await createEmailEnvironment()
const { mails, work, codeOf, transports, pool } = environment
test.after.always(() => environment.stop())

let counter = 0
const newAddress = () => `codes-${++counter}@example.com`

test('a code sent by e-mail signs a new person in to a client app', async (t) => {
  const email = newAddress()
  const visitor = new Visitor(environment)
  const { state, verifier, location } = await visitor.begin()
  t.is(location, `http://localhost:8000/auth/email?state=${state}`)
  const page = await visitor.open(location)
  t.is(page.status, 200)
  t.regex(page.text, /name="email"/)
  const asked = await visitor.ask(email, state)
  t.is(asked.status, 302)
  t.is(asked.location, `http://localhost:8000/auth/email/code?state=${state}`)
  t.is(mails.filter(({ to }) => to === email).length, 0)
  await work()
  t.is(mails.filter(({ to }) => to === email).length, 1)
  const { rows: before } = await pool.query('select from users where email = $1', [email])
  t.is(before.length, 0)

  const { text } = await visitor.open(asked.location)
  t.regex(text, /autocomplete="one-time-code"/)
  t.true(text.includes(email))
  const redirect = await visitor.finish(state, codeOf(email))
  t.is(redirect.state, 'of the app')
  t.is(redirect.error, undefined)
  for (const transport of transports.slice(0, 1)) {
    const { workspaces } = expectOk(
      await transport.call('ListCodeWorkspaces', { code: redirect.code }),
    )
    t.is(workspaces.length, 1)
    const exchange = {
      code: redirect.code,
      workspace_id: workspaces[0].id,
      code_verifier: verifier,
    }
    const tokens = expectOk(await transport.call('ExchangeToken', exchange))
    const claims = JSON.parse(
      Buffer.from(tokens.access_token.split('.')[1], 'base64url').toString(),
    )
    t.deepEqual(claims.amr, ['otp'])
    t.is(claims.email, email)
    t.is(claims.acr, undefined)
    t.is(claims.auth_time_unconfirmed, undefined)
    t.is(typeof claims.auth_time, 'number')
  }
})
