// Threat: membership forced on a user. An invitation must be accepted before it has any effect.
import { randomUUID } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import {
  createAuthorizationRequest,
  createOAuthClient,
  issuer,
  oauthUri,
  type Page,
  readPage,
  signInAtAuthorize,
  signInWithOAuth,
} from '../../support/oauth.ts'
import { expectError, expectOk } from '../../support/outcome.ts'
import { createSignInEnvironment, signInToApp } from '../../support/sign-in.ts'
import type { Transport } from '../../support/transports.ts'

type Environment = Awaited<ReturnType<typeof createSignInEnvironment>>

const environment = await createSignInEnvironment()
const withoutPersonal = await createSignInEnvironment({ options: { PERSONAL_WORKSPACES: false } })
test.after.always(async () => {
  await environment.stop()
  await withoutPersonal.stop()
})

/** Invites a new address to a new workspace. */
async function invite({ seed, pool, addProviderUser }: Environment, email = addProviderUser()) {
  const workspace = await seed.workspace('Acme & <Sons>')
  const inviter = await seed.newMember(workspace, 'owner', 'bob')
  await pool.query(
    `with invited as (
       insert into users (id, email) values ($1, $2) on conflict (email) do update set email = $2
       returning id
     )
     insert into members (workspace_id, user_id, role, invited_by)
     select $3, id, 'editor', $4 from invited`,
    [randomUUID(), email, workspace, inviter],
  )
  const inviterEmail = `bob-${inviter}@example.com`
  const findId = async (): Promise<string> =>
    (await pool.query('select id from users where email = $1', [email])).rows[0].id
  const isPending = async () => {
    const sql = 'select joined_at from members where workspace_id = $1 and user_id <> $2'
    return (await pool.query(sql, [workspace, inviter])).rows[0].joined_at === null
  }
  return { email, workspace, inviterId: inviter, inviterEmail, findId, isPending }
}

async function openPage(transport: Transport, request: object): Promise<Page> {
  return readPage(expectOk(await transport.call('Authorize', request)))
}

/** Returns the parameters that the client app receives. */
async function redirectOf(transport: Transport, request: object): Promise<Record<string, string>> {
  const { location } = expectOk(await transport.call('Authorize', request))
  if (!location?.startsWith(oauthUri)) throw new Error(`redirected to ${location}`)
  return Object.fromEntries(new URL(location).searchParams)
}

/** Follows a link of a page, in the browser that displays it. */
const follow = (url: URL | undefined, browser_session: string) => ({
  ...Object.fromEntries(url?.searchParams ?? []),
  browser_session,
})

for (const [index, transport] of environment.transports.entries()) {
  const over = `over ${transport.label}`

  /** Signs a new user with an invitation in. */
  async function begin(own: Environment, more: object = {}) {
    const line = own.transports[index] as Transport
    const client = await createOAuthClient(own)
    const invitation = await invite(own)
    const { request, verifier } = createAuthorizationRequest(client.client_id, { ...more })
    const { location, browser_session } = await signInAtAuthorize(line, invitation.email, request)
    const exchange = async (t: ExecutionContext, { code }: Record<string, string>) => {
      t.truthy(code)
      const grant = { grant_type: 'authorization_code', redirect_uri: oauthUri }
      const proof = { code, code_verifier: verifier }
      return expectOk(await line.call('IssueToken', { ...grant, ...proof, ...client }))
    }
    return { ...invitation, line, request, location, browser_session, exchange }
  }

  test(`a new user chooses between their own workspace and an invitation ${over}`, async (t) => {
    const user = await begin(environment)
    t.is(
      new URL(user.location).origin + new URL(user.location).pathname,
      `${issuer}/oauth/authorize`,
    )
    const { browser_session } = user
    const page = await openPage(transport, { ...user.request, browser_session })
    t.true(page.text.includes('Ann’s workspace'), page.text)
    t.true(page.text.includes(`bob (${user.inviterEmail}) invited you as editor`), page.text)
    t.true(page.text.includes('Acme & <Sons>') || page.text.includes('Acme &amp; &lt;Sons&gt;'))
    const [own, ...others] = page.urls
    t.not(own?.searchParams.get('workspace'), user.workspace)
    t.deepEqual(others, [])
    t.is(page.choices.length, 1)
    const tokens = await user.exchange(t, await redirectOf(transport, follow(own, browser_session)))
    t.not(tokens.workspace_id, user.workspace)
    t.true(await user.isPending())
  })

  test(`the button of an invitation accepts it, a link does not ${over}`, async (t) => {
    const user = await begin(environment)
    const { browser_session } = user
    const page = await openPage(transport, { ...user.request, browser_session })
    const [accepted = {}] = page.choices
    const linked = { ...accepted, workspace: user.workspace, browser_session, is_form: undefined }
    t.is((await openPage(transport, linked)).choices.length, 1)
    const redirect = await redirectOf(transport, { ...accepted, browser_session })
    t.true(await user.isPending(), 'until the app takes the tokens')
    t.is((await user.exchange(t, redirect)).workspace_id, user.workspace)
    t.false(await user.isPending())
  })

  test(`a used confirmation accepts no later invitation to the workspace ${over}`, async (t) => {
    const user = await begin(environment)
    const { browser_session, workspace } = user
    const named = { ...user.request, workspace, browser_session }
    const { choices } = await openPage(transport, named)
    const accepted = { ...choices[0], browser_session }
    await user.exchange(t, await redirectOf(transport, accepted))
    const token = await environment.token(user.inviterId, workspace)
    const member = { workspace_id: workspace, user_id: await user.findId() }
    expectOk(await transport.call('RemoveMember', member, { token }))
    const invitation = { workspace_id: workspace, email: user.email, role: 'editor' }
    expectOk(await transport.call('InviteMember', invitation, { token }))
    const [again, ...others] = (await openPage(transport, accepted)).choices
    t.deepEqual(others, [])
    // The same membership, with another role than the page has displayed.
    expectOk(await transport.call('InviteMember', { ...invitation, role: 'admin' }, { token }))
    const page = await openPage(transport, { ...again, browser_session })
    t.true(page.text.includes('invited you as admin'))
    t.true(await user.isPending())
    const redirect = await redirectOf(transport, { ...page.choices[0], browser_session })
    t.is((await user.exchange(t, redirect)).workspace_id, workspace)
  })

  test(`without interaction, a user with an invitation opens their own workspace ${over}`, async (t) => {
    const user = await begin(environment)
    const silent = { ...user.request, browser_session: user.browser_session, prompt: 'none' }
    const tokens = await user.exchange(t, await redirectOf(transport, silent))
    t.not(tokens.workspace_id, user.workspace)
    t.true(await user.isPending())
  })

  test(`an invitation that the app names is accepted on a page only ${over}`, async (t) => {
    const user = await begin(environment)
    const { browser_session, workspace } = user
    const named = { ...user.request, browser_session, workspace }
    const page = await openPage(transport, named)
    if (page.kind) t.is(page.kind, 'accept_invitation')
    t.true(page.text.includes(user.inviterEmail))
    t.is((await redirectOf(transport, { ...named, prompt: 'none' })).error, 'interaction_required')
    const confirmations = page.choices.map(({ confirmation }) => confirmation)
    t.is(confirmations.length, 1)
    const other = await invite(environment, user.email)
    for (const request of [
      { ...named, confirmation: 'x' },
      { ...named, confirmation: '' },
      // The confirmation of another invitation.
      { ...named, workspace: other.workspace, confirmation: confirmations[0] },
    ]) {
      const again = await openPage(transport, { ...request, is_form: true })
      t.true(again.choices.length > 0)
    }
    // The confirmation of another browser.
    const sameUser = await signInAtAuthorize(transport, user.email, user.request)
    const again = { ...named, browser_session: sameUser.browser_session, is_form: true }
    t.truthy(await openPage(transport, { ...again, confirmation: confirmations[0] }))
    const declined = page.urls.find(({ href }) => href.startsWith(oauthUri))
    t.is(declined?.searchParams.get('error'), 'access_denied')
    t.is(declined?.searchParams.get('state'), user.request.state ?? '')
    t.true(await user.isPending())
    const choice = { confirmation: confirmations[0], is_form: true }
    const accepted = await redirectOf(transport, { ...named, ...choice })
    t.is((await user.exchange(t, accepted)).workspace_id, workspace)
  })

  test(`a user who has only invitations sees a page, and can decline ${over}`, async (t) => {
    const user = await begin(withoutPersonal)
    const { browser_session, line } = user
    const request = { ...user.request, browser_session }
    t.true(user.location.startsWith(`${issuer}/oauth/authorize`))
    t.is((await redirectOf(line, { ...request, prompt: 'none' })).error, 'interaction_required')
    const page = await openPage(line, request)
    t.true(page.text.includes('Acme') && page.text.includes(user.inviterEmail))
    const declined = page.urls.find(({ href }) => href.startsWith(oauthUri))
    t.is(declined?.searchParams.get('error'), 'access_denied')
    t.true(await user.isPending())
    const redirect = await redirectOf(line, { ...page.choices[0], browser_session })
    t.is((await user.exchange(t, redirect)).workspace_id, user.workspace)
  })

  test(`joined workspaces precede invitations in the workspaces of a code ${over}`, async (t) => {
    const { email, workspace, isPending } = await invite(environment)
    // An invitation that comes first by name.
    await environment.pool.query("update workspaces set name = 'AAA' where id = $1", [workspace])
    const { redirect, verifier } = await signInToApp(transport, 'google', email)
    const code = redirect.searchParams.get('code') ?? ''
    const { workspaces } = expectOk(await transport.call('ListCodeWorkspaces', { code }))
    t.deepEqual(
      workspaces.map(({ role, status }: any) => [role, status]),
      [
        ['owner', 'active'],
        ['editor', 'invited'],
      ],
    )
    t.true(await isPending())
    const exchange = { code, code_verifier: verifier, workspace_id: workspace }
    t.is(expectOk(await transport.call('ExchangeToken', exchange)).workspace_id, workspace)
    t.false(await isPending(), 'naming the workspace accepts the invitation')
  })

  test(`a code of /auth/login never opens an invitation that nobody named ${over}`, async (t) => {
    for (const own of [environment, withoutPersonal]) {
      const line = own.transports[index] as Transport
      const uri = `https://rp.example.com/${randomUUID()}`
      const client = await createOAuthClient(own, { type: 'confidential' }, [uri])
      const { email, workspace, isPending } = await invite(own)
      const { redirect, verifier } = await signInToApp(line, 'google', email, { redirect_uri: uri })
      const code = redirect.searchParams.get('code') ?? ''
      const grant = { grant_type: 'authorization_code', code, code_verifier: verifier, ...client }
      const outcome = await line.call('IssueToken', grant)
      if (own === environment) t.not(expectOk(outcome).workspace_id, workspace)
      else t.is(expectError(outcome).reason, 'INVALID_GRANT')
      t.true(await isPending())
    }
  })

  test(`users of one joined workspace see no page ${over}`, async (t) => {
    const client = await createOAuthClient(environment)
    const { redirect } = await signInWithOAuth(environment, transport, { client })
    t.truthy(redirect.searchParams.get('code'))
  })
}

test.after('no internal errors occurred', (t) =>
  t.deepEqual([...environment.failures, ...withoutPersonal.failures], []),
)
