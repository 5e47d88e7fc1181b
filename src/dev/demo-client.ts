import { createHash, randomBytes } from 'node:crypto'
import { demo } from './demo-data.ts'

/** A person who is signed in to the demo application. */
export type DemoSession = {
  name: string
  email: string
  workspace: string
  role: string
  accessToken: string
  refreshToken: string
  idToken: string
  /** When the access token expires, in milliseconds since the epoch. */
  expiresAt: number
  /**
   * A refresh in progress, which concurrent requests share because a refresh token can be used only
   * once.
   */
  refreshing?: Promise<void>
}

/** The actions that a person may take on a document, and the reasons. */
export type DemoDocument = {
  title: string
  description: string
  decisions: { action: string; isAllowed: boolean; reason: string }[]
  /**
   * Set if the person may share the document with Carol. `isShared` is whether it is shared with
   * her.
   */
  sharing?: { isShared: boolean }
}

/** The demo application's client for daikon. */
export type DemoClient = ReturnType<typeof createDemoClient>

// biome-ignore lint/suspicious/noExplicitAny: the demo trusts daikon's responses
type Json = any

const descriptions = {
  roadmap: 'What we build next, and when.',
  handbook: 'How we work together.',
  salaries: 'Who earns what.',
}

/** How long before its expiry an access token is refreshed, in milliseconds. */
const refreshMargin = 30_000

/** Thrown if the session has ended and the person must sign in again. */
export class SignInRequiredError extends Error {}

/** Creates the OpenID Connect client and the permission checks of the demo application. */
export function createDemoClient({
  daikonUrl,
  serviceKey,
  clientId,
  appUrl,
}: {
  daikonUrl: string
  serviceKey: string
  clientId: string
  appUrl: string
}) {
  const redirectUri = `${appUrl}/callback`
  /** PKCE verifiers of the sign-ins in progress, by state. */
  const verifiers = new Map<string, string>()

  return {
    /** Returns the URL that starts a sign-in with PKCE (RFC 7636). */
    async beginSignIn(prompt: string | null): Promise<string> {
      const state = randomBytes(16).toString('hex')
      const verifier = randomBytes(32).toString('base64url')
      verifiers.set(state, verifier)
      const query = new URLSearchParams({
        client_id: clientId,
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: 'openid profile email',
        state,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
        ...(prompt && { prompt }),
      })
      return `${daikonUrl}/oauth/authorize?${query}`
    },

    /** Exchanges the authorization code of a callback for tokens. */
    async completeSignIn(query: URLSearchParams): Promise<DemoSession | { error: string }> {
      const state = query.get('state') ?? ''
      const code = query.get('code')
      const verifier = verifiers.get(state)
      verifiers.delete(state)
      const error = query.get('error_description') ?? query.get('error')
      if (error) return { error }
      if (!verifier || !code) return { error: 'This sign-in is unknown or already completed' }
      const grant = { grant_type: 'authorization_code', code, code_verifier: verifier }
      const tokens = await requestTokens({ ...grant, redirect_uri: redirectUri })
      return toSession(tokens)
    },

    /**
     * Returns the URL that also ends the session at daikon and then redirects back to the
     * application.
     */
    signOutUrl({ idToken }: DemoSession): string {
      const query = new URLSearchParams({
        id_token_hint: idToken,
        post_logout_redirect_uri: `${appUrl}/`,
      })
      return `${daikonUrl}/oauth/logout?${query}`
    },

    /** Checks every document and requests explanations of the decisions. */
    async listDocuments(session: DemoSession): Promise<DemoDocument[]> {
      await refreshIfNeeded(session)
      const names = Object.keys(demo.documents) as (keyof typeof demo.documents)[]
      const checks = names.flatMap((name) =>
        ['view', 'edit', 'manage'].map((action) => ({ name, action })),
      )
      const [roadmap, { evaluations }] = await Promise.all([
        callDaikon(resourcePath(''), undefined, { 'x-service-key': serviceKey }),
        callDaikon(
          '/access/v1/evaluations',
          {
            subject: { type: 'access_token', id: session.accessToken },
            context: { explain: true },
            evaluations: checks.map(({ name, action }) => ({
              action: { name: action },
              resource: { type: demo.resource_type, id: name },
            })),
          },
          { 'x-service-key': serviceKey },
        ),
      ])
      const isShared = roadmap.shares.some(
        (share: Json) => share.grantee_id === demo.people.carol.id,
      )
      return names.map((name, index) => {
        const results = evaluations.slice(index * 3, index * 3 + 3)
        const [view, edit, manage] = results.map(
          ({ decision, context }: Json, position: number) => ({
            action: checks[index * 3 + position]?.action,
            isAllowed: decision,
            reason: context.reason_admin.en,
          }),
        )
        return {
          title: name,
          description: descriptions[name],
          decisions: [view, edit],
          ...(name === 'roadmap' && manage.isAllowed && { sharing: { isShared } }),
        }
      })
    },

    /** Returns daikon's server-sent events about changes of the person's permissions. */
    async followChanges(
      session: DemoSession,
      signal: AbortSignal,
    ): Promise<AsyncIterable<Uint8Array>> {
      await refreshIfNeeded(session)
      const headers = { authorization: `Bearer ${session.accessToken}` }
      const response = await fetch(`${daikonUrl}/users/me/changes`, { headers, signal })
      if (response.status === 401) throw new SignInRequiredError('Your session has ended')
      if (!response.ok || !response.body) throw new Error(`daikon returned ${response.status}`)
      return response.body
    },

    /** Shares the roadmap with Carol, or removes that share, on behalf of the person. */
    async changeShare(session: DemoSession, isShared: boolean): Promise<void> {
      await refreshIfNeeded(session)
      const body = {
        grantee_type: 'user',
        grantee_id: demo.people.carol.id,
        permission: 'view',
      }
      const headers = {
        authorization: `Bearer ${session.accessToken}`,
        'x-service-key': serviceKey,
      }
      await callDaikon(resourcePath('/share'), body, headers, isShared ? 'POST' : 'DELETE')
    },
  }

  function resourcePath(suffix: string): string {
    return `/permissions/resource/${demo.service_name}/${demo.resource_type}/roadmap${suffix}`
  }

  function toSession(tokens: Json): DemoSession {
    const { name, email, wslug } = decodeClaims(tokens.id_token)
    const { wrole } = decodeClaims(tokens.access_token)
    return {
      name,
      email,
      workspace: wslug,
      role: wrole,
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token,
      idToken: tokens.id_token,
      expiresAt: Date.now() + tokens.expires_in * 1000,
    }
  }

  async function refreshIfNeeded(session: DemoSession): Promise<void> {
    if (Date.now() < session.expiresAt - refreshMargin) return
    session.refreshing ??= requestTokens({
      grant_type: 'refresh_token',
      refresh_token: session.refreshToken,
    })
      .then((tokens) => {
        Object.assign(session, toSession(tokens))
      })
      .finally(() => {
        delete session.refreshing
      })
    await session.refreshing
  }

  async function requestTokens(grant: Record<string, string>): Promise<Json> {
    const response = await fetch(`${daikonUrl}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ ...grant, client_id: clientId }),
    })
    const json = (await response.json()) as Json
    if (!response.ok) throw new SignInRequiredError(json.error_description)
    return json
  }

  async function callDaikon(
    path: string,
    body: object | undefined,
    headers: Record<string, string>,
    method = body ? 'POST' : 'GET',
  ): Promise<Json> {
    const response = await fetch(daikonUrl + path, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const json = (await response.json()) as Json
    if (response.status === 401) throw new SignInRequiredError('Your session has ended')
    if (!response.ok) throw new Error(json.detail)
    return json
  }
}

/**
 * Decodes the claims of a token that daikon has just returned. A backend that receives tokens from
 * clients must verify their signatures.
 */
function decodeClaims(token: string): Json {
  const [, payload = ''] = token.split('.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString())
}
