import { randomUUID } from 'node:crypto'
import {
  createAuthorizationRequest,
  createOAuthClient,
  type Page,
  readPage,
  signInAtAuthorize,
  type TestClient,
} from './oauth.ts'
import { expectOk } from './outcome.ts'
import type { createSignInEnvironment } from './sign-in.ts'
import type { Transport } from './transports.ts'

type Environment = Awaited<ReturnType<typeof createSignInEnvironment>>

export const scopes = ['read', 'write']

/** Creates what people agree to, and sends what their browsers send. */
export function createConsentSteps(environment: Environment, transport: Transport) {
  const { seed } = environment

  /** Creates a service app with an API. */
  async function createApi() {
    const service = `s-${randomUUID()}`
    const app = await seed.serviceApp(service)
    const uri = `https://${randomUUID()}.example.com`
    return { ...app, service, uri, resourceId: await seed.apiResource(app.id, uri, scopes) }
  }

  const createClient = (row: Record<string, unknown> = {}, uris?: string[]) =>
    createOAuthClient(environment, { consent_required: true, name: 'Editor', ...row }, uris)

  /** Signs a new person in to a new client that asks for an API, which displays the page. */
  async function begin(more: Record<string, unknown> = {}, given: Partial<Begun> = {}) {
    // Time has passed in other tests.
    environment.clock.now = undefined
    const api = given.api ?? (await createApi())
    const client = given.client ?? (await createClient())
    const email = given.email ?? environment.addProviderUser()
    const { request, verifier } = createAuthorizationRequest(client.client_id, {
      ...{ scope: 'read', resource: api.uri, ...more },
    })
    const { prompt, ...rest } = request
    const { browser_session: session, location } = await signInAtAuthorize(
      transport,
      email,
      rest as Record<string, string>,
    )
    return { api, client, email, request, verifier, session: session as string, location }
  }

  /** Sends a request, or a form of its page, with the cookie of a browser. */
  const send = (message: Record<string, unknown>, browser_session: string) =>
    transport.call('Authorize', { ...message, browser_session })

  const open = async (message: Record<string, unknown>, session: string) =>
    readPage(expectOk(await send(message, session)))

  /** Sends the form of a page after a second. */
  async function choose(
    page: Page,
    button: 'allow' | 'cancel',
    session: string,
    more: object = {},
  ) {
    pass(1)
    const message = page.choices[button === 'allow' ? 0 : 1] ?? {}
    return send({ ...message, ...more }, session)
  }

  /** Lets time pass. */
  function pass(seconds: number) {
    const { clock } = environment
    clock.now = new Date((clock.now ?? new Date()).getTime() + seconds * 1000)
  }

  /** Returns the parameters with which a request ends at the client. */
  const endOf = ({ location }: Record<string, any>): Record<string, string> =>
    Object.fromEntries(new URL(location).searchParams)

  const exchange = (begun: Pick<Begun, 'client' | 'verifier' | 'request'>, code: string) =>
    transport.call('IssueToken', {
      grant_type: 'authorization_code',
      code,
      redirect_uri: begun.request.redirect_uri,
      code_verifier: begun.verifier,
      ...begun.client,
    })

  /** Agrees, and exchanges the code for tokens. */
  async function connect(more: Record<string, unknown> = {}, given: Partial<Begun> = {}) {
    const begun = await begin(more, given)
    const page = await open(begun.request, begun.session)
    const { code = '' } = endOf(expectOk(await choose(page, 'allow', begun.session)))
    const tokens = expectOk(await exchange(begun, code))
    return { ...begun, tokens: tokens as Tokens }
  }

  const refresh = (client: TestClient, refresh_token: string) =>
    transport.call('IssueToken', { grant_type: 'refresh_token', refresh_token, ...client })

  return {
    ...{ createApi, createClient, begin, send, open, choose, pass, endOf, exchange, connect },
    refresh,
  }
}

type Begun = {
  api: { uri: string; resourceId: string; id: string; service: string; key: string }
  client: TestClient
  email: string
  request: Record<string, string>
  verifier: string
}

type Tokens = Record<'access_token' | 'refresh_token' | 'scope' | 'workspace_id', string>
