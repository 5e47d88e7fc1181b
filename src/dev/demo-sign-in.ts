import { createHash, randomBytes } from 'node:crypto'

// biome-ignore lint/suspicious/noExplicitAny: the demo trusts daikon's responses
type Json = any

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

/** How long before its expiry an access token is refreshed, in milliseconds. */
const refreshMargin = 30_000

/** Thrown if the session has ended and the person must sign in again. */
export class SignInRequiredError extends Error {}

/** Creates the OpenID Connect client of the demo application. */
export function createDemoSignIn({
  daikonUrl,
  clientId,
  appUrl,
}: {
  daikonUrl: string
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

    /** Refreshes the access token of a session that is about to expire. */
    refreshIfNeeded,
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
}

/**
 * Decodes the claims of a token that daikon has just returned. A backend that receives tokens from
 * clients must verify their signatures.
 */
function decodeClaims(token: string): Json {
  const [, payload = ''] = token.split('.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString())
}
