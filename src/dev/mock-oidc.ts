import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { pageHeaders, renderPage, sendPicker, toHtml } from './mock-page.ts'
import type { LocalClient, LocalPerson } from './mock-person.ts'

/** One OpenID Connect issuer: whose, and what its ID tokens say of a person. */
export type LocalIssuer = {
  title: string
  issuer: string
  /** Names of claims by scope. */
  claims: Record<string, string[]>
  claimsOf(person: LocalPerson): { sub: string } & Record<string, unknown>
}

/** Seconds that things live. */
const ttl = {
  ...{ AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600 },
  ...{ Interaction: 600, Session: 600 },
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** A key that signs ID tokens, made anew. */
export async function makeSigningKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' }
}

/**
 * A real OpenID Connect provider (oidc-provider) that demands PKCE and lets anybody be anyone: by
 * a page, or at once by `login_hint`. It remembers nobody, so the next sign-in asks again.
 */
export async function createLocalOidc(
  { title, issuer, claims, claimsOf }: LocalIssuer,
  { client, people, key }: { client: LocalClient; people: LocalPerson[]; key: JWK },
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
      const found = people.map(claimsOf).find((known) => known.sub === sub)
      return found && { accountId: sub, claims: () => found }
    },
    renderError: (context, { error, error_description: why }) => {
      context.set(pageHeaders)
      context.body = renderPage(error, `<p>${toHtml(String(why))}</p>`)
    },
  })
  const handle = provider.callback()

  async function interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { params } = await provider.interactionDetails(request, response)
    const chosen = request.method === 'POST' ? await readForm(request) : undefined
    const email = chosen?.get('person') ?? params.login_hint
    const person = people.find((known) => known.email === email)
    if (!person && !chosen) return sendPicker(response, title, people)
    const result = person
      ? await grant(claimsOf(person).sub, String(params.scope))
      : { error: 'access_denied', error_description: 'The person refused' }
    await provider.interactionFinished(request, response, result)
  }

  async function grant(accountId: string, scope: string) {
    const allowed = new provider.Grant({ accountId, clientId: client.id })
    allowed.addOIDCScope(scope)
    return { login: { accountId, remember: false }, consent: { grantId: await allowed.save() } }
  }

  return async (request, response) => {
    const path = (request.url ?? '').slice(mount.length)
    if (path.startsWith('/interaction/')) return interact(request, response)
    // Whoever signed in before must not be signed in now.
    request.headers.cookie = request.headers.cookie?.replace(/(^|; )_session[^;]*/g, '')
    Object.assign(request, { originalUrl: request.url, url: path })
    await handle(request, response)
  }
}

/** A development dependency: production must be able to load this file's importers without it. */
async function loadOidcProvider() {
  const { warn } = console
  // It warns of every Node that is no LTS release, and newcomers would take that for a fault.
  console.warn = () => {}
  try {
    return (await import('oidc-provider')).default
  } finally {
    console.warn = warn
  }
}

/** The fields of a form that was posted. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk
    if (text.length > 65_536) throw new Error('the form is too large')
  }
  return new URLSearchParams(text)
}

/** Where oidc-provider keeps things: in memory, by model, as long as they live. */
function createAdapters(): (model: string) => Adapter {
  const rows = new Map<string, { payload: AdapterPayload; until: number }>()
  return (model) => {
    const keyOf = (id: string) => `${model}:${id}`
    const find = async (wanted: (key: string, payload: AdapterPayload) => boolean) => {
      for (const [key, { payload, until }] of rows) {
        if (until < Date.now()) rows.delete(key)
        else if (wanted(key, payload)) return payload
      }
      return undefined
    }
    return {
      async upsert(id, payload, seconds = 600) {
        rows.set(keyOf(id), { payload, until: Date.now() + seconds * 1000 })
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
