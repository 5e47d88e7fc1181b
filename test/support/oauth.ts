import { expectOk } from './outcome.ts'
import { followRedirects } from './providers/browser-flow.ts'
import { createPkce, type createSignInEnvironment } from './sign-in.ts'
import type { Transport } from './transports.ts'

type SignInEnvironment = Awaited<ReturnType<typeof createSignInEnvironment>>

export const oauthUri = 'https://rp.example.com/callback?from=daikon'
export const issuer = 'http://localhost:8000'

/** A client app for the OAuth endpoints. The secret of a confidential app is `secret`. */
export type TestClient = { client_id: string; client_secret?: string }

/** Registers a client app. `row` overrides its columns. */
export async function createOAuthClient(
  { seed, pool }: Pick<SignInEnvironment, 'seed' | 'pool'>,
  row: Record<string, unknown> = {},
  uris = [oauthUri],
): Promise<TestClient> {
  const client_id = await seed.clientApp(uris, { name: 'Relying Party', ...row })
  if (row.type !== 'confidential') return { client_id }
  await pool.query(
    `insert into client_secrets (secret_hash, secret_prefix, app_id)
     values (encode(sha256($1), 'hex'), 'dkcs_', $2)`,
    [`secret of ${client_id}`, client_id],
  )
  return { client_id, client_secret: `secret of ${client_id}` }
}

/** Creates a valid authorization request with its PKCE verifier. */
export function createAuthorizationRequest(client_id: string, more: Record<string, unknown> = {}) {
  const { verifier, challenge } = createPkce()
  return {
    verifier,
    request: {
      client_id,
      redirect_uri: oauthUri,
      response_type: 'code',
      scope: 'openid profile email',
      state: 'state of the client',
      nonce: 'nonce of the client',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...more,
    } as Record<string, string>,
  }
}

/**
 * Starts an authorization request, signs in at the provider and returns the callback's response.
 */
export async function signInAtAuthorize(
  transport: Transport,
  email: string,
  request: Record<string, string>,
  provider = 'google',
) {
  const begun = expectOk(await transport.call('Authorize', { ...request, provider }))
  const callbackUrl = new URL(begun.location).searchParams.get('redirect_uri') ?? ''
  const { callback } = await followRedirects(begun.location, callbackUrl, { hint: email })
  const message = { provider, ...Object.fromEntries(callback), login_state: begun.login_state }
  return expectOk(await transport.call('CompleteLogin', message))
}

/** Signs a user in, a new one by default, and exchanges the code for tokens. */
export async function signInWithOAuth(
  environment: Pick<SignInEnvironment, 'seed' | 'pool' | 'addProviderUser'>,
  transport: Transport,
  options: {
    client?: TestClient
    email?: string
    request?: Record<string, unknown>
    provider?: string
    /** Runs while the code is valid. */
    beforeExchange?: (email: string) => Promise<unknown>
  } = {},
) {
  const client = options.client ?? (await createOAuthClient(environment))
  const email = options.email ?? environment.addProviderUser()
  const { request, verifier } = createAuthorizationRequest(client.client_id, options.request)
  const { location, browser_session } = await signInAtAuthorize(
    transport,
    email,
    request,
    options.provider,
  )
  const redirect = new URL(location)
  await options.beforeExchange?.(email)
  const exchange = {
    grant_type: 'authorization_code',
    code: redirect.searchParams.get('code') ?? '',
    redirect_uri: request.redirect_uri,
    code_verifier: verifier,
    ...client,
  }
  const tokens = expectOk(await transport.call('IssueToken', exchange))
  return { ...client, email, redirect, exchange, tokens, browser_session, client }
}

/** A hosted page. Over REST, `kind` is unknown. */
export type Page = {
  kind?: string
  text: string
  account_url?: string
  urls: URL[]
  /** What the form of the page sends, for each of its buttons. */
  choices: Record<string, string | boolean>[]
}

/** Reads the page of a response, as HTML over REST. */
export function readPage({ html, page }: Record<string, any>): Page {
  if (page) {
    const links: { url: string; confirmation: string }[] = [...page.links, ...page.invitations]
    const [buttons, others] = [true, false].map((isButton) =>
      links.filter(({ confirmation }) => (confirmation !== '') === isButton),
    )
    const fields = page.fields.map(({ name, value }: Record<string, string>) => [name, value])
    return {
      kind: page.kind,
      account_url: page.account_url,
      text: JSON.stringify(page),
      urls: (others ?? []).filter(({ url }) => url !== '').map(({ url }) => new URL(url)),
      choices: (buttons ?? []).map(({ confirmation }) => ({
        ...Object.fromEntries(fields),
        confirmation,
        is_form: true,
      })),
    }
  }
  const decode = (text: string) =>
    text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
  const [link, account = ''] = /<a href="([^"]*)">Your account<\/a>/.exec(html) ?? ['']
  const urls = [...html.replace(link, '').matchAll(/href="([^"]*)"/g)].map(
    ([, url]) => new URL(decode(url)),
  )
  const hidden = html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)
  const fields = [...hidden].map(([, name, value]) => [decode(name), decode(value)])
  const buttons = html.matchAll(/<button [^>]*name="confirmation" value="([^"]*)">/g)
  const choices = [...buttons].map(([, value]) => ({
    ...Object.fromEntries(fields),
    confirmation: decode(value),
    is_form: true,
  }))
  return { text: decode(html), urls, choices, ...(account && { account_url: decode(account) }) }
}
