// Threats: membership forced on a user, an invitation used by somebody else, e-mails as a weapon.
import { randomUUID } from 'node:crypto'
import { type AddressInfo, createServer } from 'node:net'
import test from 'ava'
import { SMTPServer } from 'smtp-server'
import { sweep } from '../../../src/database/sweep.ts'
import { startMockMailbox } from '../../../src/dev/mock-mailbox.ts'
import { providerIds } from '../../../src/dev/mock-person.ts'
import { providerNames } from '../../../src/identity/providers/provider.ts'
import { createMailClient } from '../../../src/outbound/mail-client.ts'
import { readPage } from '../../support/oauth.ts'
import { expectError, expectOk } from '../../support/outcome.ts'
import { followRedirects } from '../../support/providers/browser-flow.ts'
import { createSignInEnvironment } from '../../support/sign-in.ts'
import type { Transport } from '../../support/transports.ts'

const day = 86_400_000
const unmailed = await createSignInEnvironment()
const mailbox = await startMockMailbox()
const { SMTP_URL, SMTP_FROM } = mailbox.environment
/** Where the server of `mailed` sends, which a test can replace. */
let smtpUrl = SMTP_URL
const mailFailures: unknown[] = []
const mailed = await createSignInEnvironment({
  dependencies: {
    sendMail: (mail) => createMailClient(smtpUrl, SMTP_FROM)(mail),
    logFailure: () => (error) => mailFailures.push(error),
  },
})
test.after.always(async () => {
  await unmailed.stop()
  await mailed.stop()
  await mailbox.close()
})

type Environment = typeof unmailed

/** A workspace whose admin invites through a transport. */
async function createWorkspace(
  { seed, token }: Environment,
  transport: Transport,
  name = 'Acme & <Sons>',
) {
  const workspace_id = await seed.workspace(name)
  const adminId = await seed.newMember(workspace_id, 'admin', 'mona')
  const viewerId = await seed.newMember(workspace_id, 'viewer', 'vera')
  const call = async (method: string, message: object, callerId = adminId) => {
    const inviter = { token: await token(callerId, workspace_id) }
    return expectOk(await transport.call(method, { workspace_id, ...message }, inviter))
  }
  return {
    workspace_id,
    invite: (email: string, role = 'editor') => call('InviteMember', { email, role }),
    listMembers: async (as: 'admin' | 'viewer' = 'admin') =>
      (await call('ListMembers', {}, as === 'admin' ? adminId : viewerId)).members,
    remove: (user_id: string) => call('RemoveMember', { user_id }),
  }
}

const tokenOf = (url: string) => new URL(url).pathname.split('/').at(-1) ?? ''
const open = (transport: Transport, url: string, more: object = {}) =>
  transport.call('OpenInvitation', { token: tokenOf(url), ...more })
const openPage = async (transport: Transport, url: string, more: object = {}) =>
  readPage(expectOk(await open(transport, url, more)))

/** Signs in at the page of an invitation and returns the response of the callback. */
async function signInAtInvitation(
  transport: Transport,
  url: string,
  email: string,
  more: object = {},
) {
  const provider = 'google'
  const begun = expectOk(await open(transport, url, { provider, ...more }))
  // With a hint, the mock signs in that person at once, and its page could not be cancelled.
  const start = new URL(begun.location)
  start.searchParams.delete('login_hint')
  const callbackUrl = 'http://localhost:8000/auth/callback/google'
  const visitor = email === '' ? { button: '' } : { hint: email }
  const { callback } = await followRedirects(start.href, callbackUrl, visitor)
  const message = { provider, ...Object.fromEntries(callback), login_state: begun.login_state }
  return expectOk(await transport.call('CompleteLogin', message))
}

/** Signs in as the invited person, joins on the page and returns the page after that. */
async function join(transport: Transport, url: string, email: string) {
  const { location, browser_session } = await signInAtInvitation(transport, url, email)
  const page = await openPage(transport, location, { browser_session })
  const joined = expectOk(await open(transport, url, { browser_session, ...page.choices[0] }))
  return openPage(transport, joined.location, { browser_session })
}

for (const [index, transport] of unmailed.transports.entries()) {
  const over = `over ${transport.label}`

  test.serial(
    `without e-mail, the response has a link on which the person joins ${over}`,
    async (t) => {
      const email = unmailed.addProviderUser()
      const { invite, listMembers } = await createWorkspace(unmailed, transport)
      const { invitation_url: url, user_id } = await invite(email)
      t.regex(url, /^http:\/\/localhost:8000\/oauth\/invitations\/[\w-]{43}$/)
      for (const member of await listMembers()) t.falsy(member.invitation_url)

      const page = await openPage(transport, url)
      t.true(page.text.includes('Acme & <Sons>'))
      t.true(page.text.includes(`invited ${email} as editor`))
      t.is(page.urls.length, providerNames.length)

      const { location, browser_session } = await signInAtInvitation(transport, url, email)
      t.is(location, url)
      const asking = await openPage(transport, url, { browser_session })
      const status = async () =>
        (await listMembers()).find((member: any) => member.user_id === user_id).status
      t.is(await status(), 'invited')
      // Another site can lead the browser to any URL, but does not know the confirmation.
      for (const confirmation of ['', 'x'.repeat(43)]) {
        const forged = { confirmation, is_form: true }
        const again = await openPage(transport, url, { browser_session, ...forged })
        t.is(again.text, asking.text)
      }
      const accountUrl = 'http://localhost:8000/account'
      t.is(asking.account_url, accountUrl)
      const [choice = {}, ...others] = asking.choices
      t.deepEqual(others, [])
      // A browser opens links of its history.
      const link = { browser_session, confirmation: choice.confirmation }
      t.is((await openPage(transport, url, link)).text, asking.text)
      t.is(await status(), 'invited')

      const joined = expectOk(await open(transport, url, { browser_session, ...choice }))
      t.is(joined.location, url)
      t.is(await status(), 'active')
      // A reload of the page, and of the form.
      for (const more of [{}, choice]) {
        const page = await openPage(transport, url, { browser_session, ...more })
        t.true(page.text.includes('joined'))
        t.is(page.account_url, accountUrl)
        t.deepEqual(page.choices, [])
      }
    },
  )

  test.serial(
    `a used link says who has joined, until the person is invited again ${over}`,
    async (t) => {
      const email = unmailed.addProviderUser()
      const other = unmailed.addProviderUser()
      const { invite, remove } = await createWorkspace(unmailed, transport)
      const { invitation_url: url, user_id } = await invite(email)
      const visitor = await signInAtInvitation(transport, url, other)
      const { location, browser_session } = await signInAtInvitation(transport, url, email)
      const { choices } = await openPage(transport, location, { browser_session })
      const used = { browser_session, ...choices[0] }
      expectOk(await open(transport, url, used))
      t.teardown(() => {
        unmailed.clock.now = undefined
      })
      // The e-mail is opened again later, elsewhere.
      unmailed.clock.now = new Date(Date.now() + 6 * day)
      await sweep(unmailed.database, unmailed.clock.now)
      const elsewhere = await openPage(transport, url)
      t.true(elsewhere.text.includes('joined') && elsewhere.text.includes(email))
      t.is(elsewhere.account_url, undefined, 'this browser is not signed in')
      unmailed.clock.now = undefined
      const page = await openPage(transport, url, { browser_session: visitor.browser_session })
      t.true(page.text.includes(other) && page.text.includes(email))

      await remove(user_id)
      t.is(expectError(await open(transport, url, used)).reason, 'INVITATION_ENDED')
      const again = (await invite(email, 'admin')).invitation_url
      t.is(expectError(await open(transport, url, used)).reason, 'INVITATION_ENDED')
      const asking = await openPage(transport, again, used)
      t.is(asking.choices.length, 1, 'the confirmation was for the earlier invitation')
    },
  )

  test.serial(
    `a confirmation does not accept another role than the page displays ${over}`,
    async (t) => {
      const email = unmailed.addProviderUser()
      const { invite, listMembers } = await createWorkspace(unmailed, transport)
      const { invitation_url: url } = await invite(email, 'viewer')
      const { location, browser_session } = await signInAtInvitation(transport, url, email)
      const { choices } = await openPage(transport, location, { browser_session })
      const again = (await invite(email, 'admin')).invitation_url
      const page = await openPage(transport, again, { browser_session, ...choices[0] })
      t.true(page.text.includes('as admin'))
      const member = (await listMembers()).find((member: any) => member.email === email)
      t.is(member.status, 'invited')
    },
  )

  test.serial(
    `somebody else can neither join nor sign in as the invited person ${over}`,
    async (t) => {
      const email = unmailed.addProviderUser()
      const other = unmailed.addProviderUser()
      const { invite, listMembers } = await createWorkspace(unmailed, transport)
      const { invitation_url: url } = await invite(email)
      const { browser_session } = await signInAtInvitation(transport, url, other)
      const forged = { confirmation: 'x', is_form: true }
      const page = await openPage(transport, url, { browser_session, ...forged })
      t.true(page.text.includes(other))
      t.is(page.urls.length, providerNames.length)
      t.false((await listMembers()).some((member: any) => member.email === other))
      // They sign in again, with another account.
      const { location } = await signInAtInvitation(transport, url, email, { browser_session })
      t.is(location, url)
    },
  )

  test.serial(
    `the page says that the invited address belongs to another account ${over}`,
    async (t) => {
      const email = unmailed.addProviderUser()
      const { invite } = await createWorkspace(unmailed, transport)
      const { invitation_url: url } = await invite(email)
      const former = `former-${email}`
      const id = await unmailed.seed.user('moved', { email: former })
      await unmailed.pool.query(
        `insert into linked_accounts (provider, subject, user_id, email)
         values ('google', $1, $2, $3)`,
        [providerIds({ name: '', email }).sub, id, former],
      )
      const { location, browser_session } = await signInAtInvitation(transport, url, email)
      t.is(location, `${url}?sign_in_error=email_taken`)
      const more = { browser_session, sign_in_error: 'email_taken' }
      const page = await openPage(transport, url, more)
      t.true(page.text.includes('belongs to another account'))
      t.true(page.text.includes(former))
    },
  )

  test.serial(`a sign-in that fails returns to the page with its reason ${over}`, async (t) => {
    const { invite } = await createWorkspace(unmailed, transport)
    const { invitation_url: url } = await invite(unmailed.addProviderUser())
    const { location, browser_session } = await signInAtInvitation(transport, url, '')
    t.falsy(browser_session)
    t.is(location, `${url}?sign_in_error=access_denied`)
    const page = await openPage(transport, url, { sign_in_error: 'access_denied' })
    t.true(page.text.includes('cancelled or refused'))
    t.false((await openPage(transport, url, { sign_in_error: '<b>' })).text.includes('<b>'))
    t.is(
      expectError(await open(transport, url, { provider: 'myspace' })).reason,
      'PROVIDER_NOT_FOUND',
    )
  })

  test.serial(
    `a link ends after seven days, and when the person is invited again ${over}`,
    async (t) => {
      const email = unmailed.addProviderUser()
      const { invite } = await createWorkspace(unmailed, transport)
      const first = (await invite(email)).invitation_url
      const second = (await invite(email, 'viewer')).invitation_url
      t.not(second, first)
      t.is(expectError(await open(transport, first)).reason, 'INVITATION_ENDED')
      t.true((await openPage(transport, second)).text.includes('as viewer'))
      t.teardown(() => {
        unmailed.clock.now = undefined
      })
      unmailed.clock.now = new Date(Date.now() + 7 * day)
      t.is(expectError(await open(transport, second)).reason, 'INVITATION_ENDED')
    },
  )

  test.serial(
    `an unknown link, and one of a member who was removed, lead nowhere ${over}`,
    async (t) => {
      for (const token of ['x', 'x'.repeat(43), randomUUID(), `it's`]) {
        t.is(
          expectError(await transport.call('OpenInvitation', { token })).reason,
          'INVITATION_ENDED',
        )
      }
      const { invite, workspace_id } = await createWorkspace(unmailed, transport)
      const { invitation_url: url, user_id } = await invite(unmailed.addProviderUser())
      const sql = 'delete from members where workspace_id = $1 and user_id = $2'
      await unmailed.pool.query(sql, [workspace_id, user_id])
      t.is(expectError(await open(transport, url)).reason, 'INVITATION_ENDED')
    },
  )

  test.serial(`with e-mail, the person receives the link, once ${over}`, async (t) => {
    const line = mailed.transports[index] as Transport
    const email = mailed.addProviderUser()
    const { invite } = await createWorkspace(mailed, line)
    t.falsy((await invite(email)).invitation_url)
    const second = await mailed.addNode()
    await Promise.all([
      mailed.app.services.sendInvitations(),
      second.app.services.sendInvitations(),
    ])
    await mailed.app.services.sendInvitations()
    const mails = mailsTo(email)
    t.is(mails.length, 1)
    const [{ subject, text = '', html = '', from }] = mails as [(typeof mails)[0]]
    t.is(subject, 'Invitation to Acme & <Sons>')
    t.is(from?.address, 'no-reply@example.com')
    const [url = ''] = /http:\S+/.exec(text) ?? []
    t.true(html.includes(`href="${url}"`))
    t.true(html.includes('Acme &#38; &#60;Sons&#62;'))
    t.true((await join(line, url, email)).text.includes('joined'))
  })
}

const mailsTo = (email: string) =>
  mailbox.mails.filter(({ to = [] }) => to.some(({ address }) => address === email))

const [rest] = mailed.transports as [Transport]

test.serial('a name that looks like an encoded word arrives as it is', async (t) => {
  const name = '=?utf-8?B?4oCuDQpCY2M6IHhAZXhhbXBsZS5jb20=?= for the summer =?x'
  const email = mailed.addProviderUser()
  const { invite } = await createWorkspace(mailed, rest, name)
  await invite(email)
  await mailed.app.services.sendInvitations()
  t.deepEqual(
    mailsTo(email).map(({ subject }) => subject),
    [`Invitation to ${name}`],
  )
})

test.serial('an e-mail that cannot be sent stays queued until the server accepts it', async (t) => {
  const email = mailed.addProviderUser()
  const { invite } = await createWorkspace(mailed, rest)
  const server = createServer((socket) => socket.end('421 no service\r\n')).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  t.teardown(() => {
    smtpUrl = SMTP_URL
    mailed.clock.now = undefined
    server.close()
  })
  smtpUrl = `smtp://127.0.0.1:${(server.address() as { port: number }).port}`
  await invite(email)
  await mailed.app.services.sendInvitations()
  t.is(mailFailures.length, 1)
  smtpUrl = SMTP_URL
  await mailed.app.services.sendInvitations()
  t.is(mailsTo(email).length, 0, 'the next attempt has a pause')
  mailed.clock.now = new Date(Date.now() + 61_000)
  await mailed.app.services.sendInvitations()
  t.is(mailsTo(email).length, 1)
})

/** Starts a mail server that refuses at one step of the protocol, and counts the attempts. */
async function startRefusing(step: 'sender' | 'recipient' | 'message', status: string) {
  let attempts = 0
  const refuse = (callback: (error: Error) => void) => {
    attempts += 1
    const [, code = '', text = ''] = /^(\d+) (.*)$/.exec(status) ?? []
    callback(Object.assign(new Error(text), { responseCode: Number(code) }))
  }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onMailFrom: (_address, _session, callback) =>
      step === 'sender' ? refuse(callback) : callback(),
    onRcptTo: (_address, _session, callback) =>
      step === 'recipient' ? refuse(callback) : callback(),
    onData: (stream, _session, callback) => stream.resume().on('end', () => refuse(callback)),
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    countAttempts: () => attempts,
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}

for (const [step, status, shown] of [
  ['recipient', '550 5.1.1 No such user <ann@example.com>', '550 5.1.1'],
  ['sender', '553 Not allowed', '553'],
  ['message', '554 5.7.1 Looks like spam', '554 5.7.1'],
] as const) {
  for (const [index, { label }] of mailed.transports.entries()) {
    test.serial(`an e-mail whose ${step} is refused is not sent again over ${label}`, async (t) => {
      const line = mailed.transports[index] as Transport
      const email = mailed.addProviderUser()
      const { invite, listMembers } = await createWorkspace(mailed, line)
      const find = async (...as: Parameters<typeof listMembers>) =>
        (await listMembers(...as)).find((member: any) => member.email === email)
      const server = await startRefusing(step, status)
      t.teardown(async () => {
        smtpUrl = SMTP_URL
        mailed.clock.now = undefined
        await server.close()
      })
      smtpUrl = server.url
      await invite(email)
      t.falsy((await find()).email_refusal)
      const start = Date.now()
      for (const minutes of [0, 2, 200]) {
        mailed.clock.now = new Date(start + minutes * 60_000)
        await mailed.app.services.sendInvitations()
      }
      t.is(server.countAttempts(), 1)
      t.is((await find()).email_refusal, shown)
      t.falsy((await find('viewer')).email_refusal, 'those who may not invite do not see it')
      smtpUrl = SMTP_URL
      t.falsy((await invite(email, 'viewer')).email_refusal)
      await mailed.app.services.sendInvitations()
      t.is(mailsTo(email).length, 1)
      t.falsy((await find()).email_refusal)
    })
  }
}

test.serial(
  'an e-mail waits while the mail server refuses for now, or asks for credentials',
  async (t) => {
    t.teardown(() => {
      smtpUrl = SMTP_URL
      mailed.clock.now = undefined
    })
    const start = Date.now()
    let minutes = 0
    for (const status of ['450 4.2.1 Try later', '530 5.7.0 Authentication required']) {
      const email = mailed.addProviderUser()
      const { invite } = await createWorkspace(mailed, rest)
      const server = await startRefusing('recipient', status)
      smtpUrl = server.url
      await invite(email)
      await mailed.app.services.sendInvitations()
      t.is(server.countAttempts(), 1, status)
      smtpUrl = SMTP_URL
      await server.close()
      minutes += 2
      mailed.clock.now = new Date(start + minutes * 60_000)
      await mailed.app.services.sendInvitations()
      t.is(mailsTo(email).length, 1, status)
    }
  },
)

test.serial(
  'inviting again sends a new link, at most one a minute and 20 a day to a person',
  async (t) => {
    const email = mailed.addProviderUser()
    t.teardown(() => {
      mailed.clock.now = undefined
    })
    const { invite } = await createWorkspace(mailed, rest)
    await invite(email)
    await mailed.app.services.sendInvitations()
    await invite(email)
    await mailed.app.services.sendInvitations()
    t.is(mailsTo(email).length, 1)
    const start = Date.now()
    for (let minute = 1; minute < 30; minute += 1) {
      mailed.clock.now = new Date(start + minute * 61_000)
      // A workspace of its own each time: the limit is the person's.
      const other = minute % 2 === 0 ? await createWorkspace(mailed, rest) : { invite }
      await other.invite(email)
      await mailed.app.services.sendInvitations()
    }
    t.is(mailsTo(email).length, 20)
    const [first, second] = mailsTo(email).map(({ text = '' }) => /http:\S+/.exec(text)?.[0] ?? '')
    t.not(first, second)
    t.is(expectError(await open(rest, first as string)).reason, 'INVITATION_ENDED')
    mailed.clock.now = new Date(start + day + 40 * 61_000)
    await mailed.app.services.sendInvitations()
    t.true(mailsTo(email).length > 20)
  },
)

test.serial(
  'a workspace that invites many people does not delay the e-mails of another',
  async (t) => {
    const busy = await createWorkspace(mailed, rest)
    const quiet = await createWorkspace(mailed, rest)
    for (let index = 0; index < 25; index += 1) await busy.invite(mailed.addProviderUser())
    const email = mailed.addProviderUser()
    await quiet.invite(email)
    t.true(await mailed.app.services.sendInvitations())
    t.is(mailsTo(email).length, 1)
    while (await mailed.app.services.sendInvitations());
    const { rows } = await mailed.pool.query(
      'select from invitation_mails where workspace_id = $1',
      [busy.workspace_id],
    )
    t.is(rows.length, 0)
  },
)
