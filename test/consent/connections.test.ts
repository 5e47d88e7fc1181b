// Threat: consent in a session of a connection reaches beyond its workspace, or goes around the connection.
import test from 'ava'
import { decodeJwt } from 'jose'
import {
  beginAtConnection,
  type ConnectedWorkspace,
  connectWorkspace,
  createConnectionEnvironment,
  obtainConnectionTokens,
} from '../support/connections.ts'
import { createConsentSteps } from '../support/consent.ts'
import {
  createAuthorizationRequest,
  issuer,
  readPage,
  signInAtAuthorize,
} from '../support/oauth.ts'
import { expectOk } from '../support/outcome.ts'
import { followRedirects } from '../support/providers/browser-flow.ts'
import type { Transport } from '../support/transports.ts'

const environment = await createConnectionEnvironment()
const { pool, seed } = environment
test.after.always(() => environment.stop())

/** Signs in at a connection for an authorization request. Returns the session of the browser. */
async function signInByConnection(
  transport: Transport,
  { provider }: ConnectedWorkspace,
  request: Record<string, string>,
): Promise<string> {
  const begun = await beginAtConnection(transport, 'Authorize', { ...request, provider })
  const callbackUrl = `${issuer}/auth/callback/${provider}`
  const { callback } = await followRedirects(begun.location, callbackUrl, { hint: '' })
  const message = { provider, ...Object.fromEntries(callback), login_state: begun.login_state }
  return expectOk(await transport.call('CompleteLogin', message)).browser_session
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  const { createApi, createClient, open, choose, send, endOf, exchange } = createConsentSteps(
    environment,
    transport,
  )
  const findGrants = async (email: string) => {
    const { rows } = await pool.query(
      'select c.* from consents c join users u on u.id = c.user_id where u.email = $1',
      [email],
    )
    return rows
  }
  /** Connects a workspace that has a member, who is also a member of another workspace. */
  async function createMember(t: Parameters<typeof connectWorkspace>[0]) {
    const connected = await connectWorkspace(t, environment, transport)
    const email = connected.assert('ann')
    const user = await connected.addMember('viewer', 'ann')
    const elsewhere = await seed.workspace()
    await seed.member(elsewhere, user, 'viewer')
    environment.addProviderUser({ email })
    const api = await createApi()
    const client = await createClient()
    const asked = { scope: 'read', resource: api.uri }
    const { request, verifier } = createAuthorizationRequest(client.client_id, asked)
    return { connected, email, elsewhere, client, request, verifier }
  }

  test.serial(
    `a session of a connection consents for the workspace of the connection ${over}`,
    async (t) => {
      const { connected, email, elsewhere, client, request, verifier } = await createMember(t)
      const { workspace_id } = connected
      const session = await signInByConnection(transport, connected, request)
      const page = await open(request, session)
      t.true(page.choices.length === 2)
      t.false(page.text.includes(elsewhere))
      // Neither the request nor the form reaches another workspace.
      for (const refused of [
        await send({ ...request, workspace: elsewhere }, session),
        await choose(page, 'allow', session, { workspace: elsewhere }),
      ])
        t.is(endOf(expectOk(refused)).error, 'access_denied')
      t.deepEqual(await findGrants(email), [])

      const { code = '' } = endOf(expectOk(await choose(page, 'allow', session)))
      const tokens = expectOk(await exchange({ client, verifier, request }, code))
      const [grant, ...others] = await findGrants(email)
      t.is(others.length, 0)
      t.is(grant.workspace_id, workspace_id)
      t.like(decodeJwt(tokens.access_token), { wid: workspace_id, gid: grant.id })
    },
  )

  test.serial(
    `where a connection is enforced, no other session consents, nor uses a consent ${over}`,
    async (t) => {
      const { connected, email, request } = await createMember(t)
      const { workspace_id, provider } = connected
      await obtainConnectionTokens(transport, connected)
      const asked = { ...request, workspace: workspace_id }
      const { browser_session: session } = await signInAtAuthorize(transport, email, asked)
      const page = await open(asked, session)
      t.is(page.choices.length, 2)
      const other = await open({ ...asked, state: 'another' }, session)
      expectOk(await choose(page, 'allow', session))
      const [before] = await findGrants(email)
      expectOk(await connected.change({ enforced: true }))

      // The page leads to the connection, also instead of the code for what was agreed to before.
      for (const shown of [await send(asked, session), await choose(other, 'allow', session)]) {
        const { urls, choices } = readPage(expectOk(shown))
        t.deepEqual(
          urls.map(({ searchParams }) => searchParams.get('provider')),
          [provider],
        )
        t.deepEqual(choices, [])
      }
      const silent = await send({ ...asked, prompt: 'none' }, session)
      t.is(endOf(expectOk(silent)).error, 'login_required')
      t.deepEqual(await findGrants(email), [before])

      const byConnection = await signInByConnection(transport, connected, asked)
      const again = await open({ ...asked, prompt: 'consent' }, byConnection)
      t.truthy(endOf(expectOk(await choose(again, 'allow', byConnection))).code)
    },
  )
}
