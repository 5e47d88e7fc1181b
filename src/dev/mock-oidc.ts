import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { escapeHtml } from '../core/escape-html.ts'
import { readForm } from './local-server.ts'
import type { MockClient, MockPerson } from './mock-person.ts'
import { pageHeaders, renderPage, sendSignInPage } from './pages.ts'

/** An OpenID Connect issuer and the claims of its ID tokens. */
export type MockIssuer = {
  title: string
  issuer: string
  /** Claim names by scope. */
  claims: Record<string, string[]>
  claimsOf(person: MockPerson): { sub: string } & Record<string, unknown>
}

/** Token lifetimes in seconds. */
const ttl = {
  AccessToken: 600,
  AuthorizationCode: 60,
  Grant: 600,
  IdToken: 600,
  Interaction: 600,
  Session: 600,
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** Creates a key for signing ID tokens. */
export async function createSigningKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' }
}

/**
 * Creates an OpenID Connect provider (oidc-provider) that requires PKCE but no password: people
 * choose an account on a page, or `login_hint` selects one without showing the page. Otherwise
 * every sign-in shows the page.
 */
export async function createMockOidc(
  { title, issuer, claims, claimsOf }: MockIssuer,
  { client, people, key }: { client: MockClient; people: MockPerson[]; key: JWK },
): Promise<Handler> {
  const OidcProvider = await loadOidcProvider()
  const mount = new URL(issuer).pathname
  const provider = new OidcProvider(issuer, {
    adapter: createAdapters(),
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: client.redirectUris,
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    jwks: { keys: [key] as never },
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
    pkce: { required: () => true },
    conformIdTokenClaims: false,
    claims,
    ttl,
    interactions: { url: (_, { uid }) => `${mount}/interaction/${uid}` },
    findAccount: (_, sub) => {
      const account = people.map(claimsOf).find((candidate) => candidate.sub === sub)
      return account && { accountId: sub, claims: () => account }
    },
    renderError: (context, { error, error_description: description }) => {
      context.set(pageHeaders)
      context.body = renderPage(error, `<p>${escapeHtml(String(description))}</p>`)
    },
  })
  const handle = provider.callback()

  async function interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { params } = await provider.interactionDetails(request, response)
    const form = request.method === 'POST' ? await readForm(request) : undefined
    const email = form?.get('person') ?? params.login_hint
    const person = people.find((candidate) => candidate.email === email)
    if (!person && !form) return sendSignInPage(response, title, people)
    const result = person
      ? await grant(claimsOf(person).sub, String(params.scope), person.amr)
      : { error: 'access_denied', error_description: 'The user denied access' }
    await provider.interactionFinished(request, response, result)
  }

  async function grant(accountId: string, scope: string, amr: string[] | undefined) {
    const newGrant = new provider.Grant({ accountId, clientId: client.id })
    newGrant.addOIDCScope(scope)
    const login = { accountId, remember: false, ...(amr && { amr }) }
    return { login, consent: { grantId: await newGrant.save() } }
  }

  return async (request, response) => {
    // oidc-provider does not support select_account, and every sign-in offers the choice anyway.
    const path = (request.url ?? '')
      .slice(mount.length)
      .replace(/(?<=[?&])prompt=select_account&?/, '')
    request.url = mount + path
    if (path.startsWith('/interaction/')) return interact(request, response)
    // Removing the session cookie prevents the provider from reusing the previous sign-in.
    request.headers.cookie = request.headers.cookie?.replace(/(^|; )_session[^;]*/g, '')
    Object.assign(request, { originalUrl: request.url, url: path })
    await handle(request, response)
  }
}

/** Imports oidc-provider without the warning that it prints on non-LTS releases of Node.js. */
async function loadOidcProvider() {
  const { warn } = console
  console.warn = () => {}
  try {
    return (await import('oidc-provider')).default
  } finally {
    console.warn = warn
  }
}

/** Creates the in-memory storage of oidc-provider. */
function createAdapters(): (model: string) => Adapter {
  const rows = new Map<string, { payload: AdapterPayload; expiresAt: number }>()
  return (model) => {
    const keyOf = (id: string) => `${model}:${id}`
    const find = async (matches: (key: string, payload: AdapterPayload) => boolean) => {
      for (const [key, { payload, expiresAt }] of rows) {
        if (expiresAt < Date.now()) rows.delete(key)
        else if (matches(key, payload)) return payload
      }
      return undefined
    }
    return {
      async upsert(id, payload, seconds = 600) {
        rows.set(keyOf(id), { payload, expiresAt: Date.now() + seconds * 1000 })
      },
      find: (id) => find((key) => key === keyOf(id)),
      findByUid: (uid) => find((key, row) => key.startsWith(`${model}:`) && row.uid === uid),
      findByUserCode: async () => undefined,
      async consume(id) {
        const row = rows.get(keyOf(id))
        if (row) row.payload.consumed = Math.floor(Date.now() / 1000)
      },
      async destroy(id) {
        rows.delete(keyOf(id))
      },
      async revokeByGrantId(grantId) {
        for (const [key, { payload }] of rows) if (payload.grantId === grantId) rows.delete(key)
      },
    }
  }
}
