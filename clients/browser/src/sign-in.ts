import type { SignInOptions } from './api.ts'
import { DaikonError, invalidArgument, SignInError } from './errors.ts'
import type { Http } from './http.ts'
import { createSession, decodeClaims, parseTokenResponse, type Session } from './session.ts'
import { openStorage } from './session-store.ts'

/** The state of a sign-in, stored until its callback. */
type PendingSignIn = { state: string; nonce: string; verifier: string; returnTo: string }

type SignInFlowOptions = {
  issuer: string
  clientId: string
  redirectUri: string
  silentRedirectUri: string
  scope: string
  timeoutMs: number
}

/** The name of the hidden frame. The client does nothing in a frame with this name. */
export const silentFrameName = 'daikon-silent-sign-in'

/** Milliseconds between reads of the hidden frame's address. */
const framePollInterval = 20

/**
 * Creates the authorization code flow with PKCE (RFC 7636), which runs as a redirect or in a hidden
 * frame.
 */
export function createSignInFlow(http: Http, options: SignInFlowOptions) {
  const { issuer, clientId, redirectUri, silentRedirectUri } = options
  const storageKey = (state: string) => `daikon:sign-in:${state}`

  async function createRequest(
    uri: string,
    signInOptions: SignInOptions,
  ): Promise<{ url: string; pending: PendingSignIn }> {
    if (!globalThis.crypto?.subtle) {
      const message = 'Sign-in needs a secure context: serve the page over https or from localhost'
      throw new SignInError('INSECURE_CONTEXT', message)
    }
    const {
      returnTo = '',
      prompt,
      workspace,
      provider,
      loginHint,
      maxAge,
      acrValues,
    } = signInOptions
    const pending = { state: randomText(), nonce: randomText(), verifier: randomText(), returnTo }
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(pending.verifier))
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: uri,
      scope: options.scope,
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: encodeBase64Url(new Uint8Array(digest)),
      code_challenge_method: 'S256',
    })
    const max_age = maxAge === undefined ? undefined : String(maxAge)
    const hints = { login_hint: loginHint, max_age, acr_values: acrValues }
    const optional = { prompt, workspace, provider, ...hints }
    for (const [name, value] of Object.entries(optional)) if (value) query.set(name, value)
    return { url: `${issuer}/oauth/authorize?${query}`, pending }
  }

  /** Validates the response of the authorization endpoint and exchanges its code for tokens. */
  async function redeem(
    query: URLSearchParams,
    uri: string,
    { nonce, verifier }: PendingSignIn,
  ): Promise<Session> {
    const iss = query.get('iss')
    if (iss !== null && iss !== issuer) throw issuerMismatch(iss)
    const error = query.get('error')
    if (error) {
      const description = query.get('error_description') ?? `The sign-in failed: ${error}`
      throw new SignInError(error.toUpperCase(), description)
    }
    const form = {
      grant_type: 'authorization_code',
      code: query.get('code') ?? '',
      code_verifier: verifier,
      redirect_uri: uri,
      client_id: clientId,
    }
    const response = parseTokenResponse(await http('/oauth/token', { form }).catch(toSignInError))
    const session = createSession(response, undefined)
    const claims = decodeClaims(session.idToken)
    if (claims.iss !== issuer) throw issuerMismatch(String(claims.iss))
    const audience = [claims.aud].flat()
    if (claims.nonce !== nonce || !audience.includes(clientId) || claims.sub !== session.user.id)
      throw new SignInError('ID_TOKEN_INVALID', 'The ID token belongs to another sign-in')
    return session
  }

  function issuerMismatch(iss: string): SignInError {
    const message = `The sign-in came from the issuer ${iss}, not ${issuer}: set the option issuer to BASE_URL of daikon`
    return new SignInError('ISSUER_MISMATCH', message)
  }

  /** Removes and returns the pending sign-in for a state, which can be used only once. */
  function takePending(state: string): PendingSignIn {
    const storage = openStorage('sessionStorage')
    const text = storage?.getItem(storageKey(state))
    storage?.removeItem(storageKey(state))
    if (text) return JSON.parse(text)
    const message =
      'This sign-in was not started in this tab, or is already completed: sign in again'
    throw new SignInError('STATE_MISMATCH', message)
  }

  return {
    /** Redirects to the authorization endpoint. */
    async redirect(signInOptions: SignInOptions): Promise<void> {
      const returnTo = resolveReturnTo(signInOptions.returnTo ?? location.href, location.href)
      const { url, pending } = await createRequest(redirectUri, { ...signInOptions, returnTo })
      try {
        sessionStorage.setItem(storageKey(pending.state), JSON.stringify(pending))
      } catch (cause) {
        const message = 'The browser blocks sessionStorage, which a sign-in needs'
        throw new SignInError('STORAGE_BLOCKED', message, { cause })
      }
      location.assign(url)
    },

    /** Whether a URL is the callback of a sign-in. */
    isCallback(url: string): boolean {
      const { origin, pathname, searchParams } = new URL(url)
      const expected = new URL(redirectUri)
      const isAddress = origin === expected.origin && pathname === expected.pathname
      const isResponse = searchParams.has('code') || searchParams.has('error')
      return isAddress && isResponse && searchParams.has('state')
    },

    /** Completes the sign-in of a callback URL. */
    async complete(url: string): Promise<{ session: Session; returnTo: string }> {
      const { searchParams } = new URL(url)
      const pending = takePending(searchParams.get('state') ?? '')
      const session = await redeem(searchParams, redirectUri, pending)
      return { session, returnTo: pending.returnTo }
    },

    /** Returns the address to return to after a callback, even if the sign-in fails. */
    findReturnTo(url: string): string | undefined {
      const state = new URL(url).searchParams.get('state') ?? ''
      const text = openStorage('sessionStorage')?.getItem(storageKey(state))
      return text ? JSON.parse(text).returnTo : undefined
    },

    /**
     * Signs in with daikon's session cookie in a hidden frame. Returns undefined if there is no
     * session.
     */
    async silently(): Promise<Session | undefined> {
      if (!globalThis.crypto?.subtle) return undefined
      const { url, pending } = await createRequest(silentRedirectUri, { prompt: 'none' })
      const query = await loadInFrame(url, silentRedirectUri, options.timeoutMs)
      if (query?.get('state') !== pending.state) return undefined
      try {
        return await redeem(query, silentRedirectUri, pending)
      } catch (error) {
        const expected = ['LOGIN_REQUIRED', 'INTERACTION_REQUIRED', 'ACCESS_DENIED']
        if (error instanceof SignInError && expected.includes(error.reason)) return undefined
        throw error
      }
    },
  }
}

/**
 * Loads a URL in a hidden frame until it redirects to the redirect URI. Returns the parameters of
 * that URI, or undefined if the redirect does not happen.
 */
function loadInFrame(
  url: string,
  redirectUri: string,
  timeoutMs: number,
): Promise<URLSearchParams | undefined> {
  const expected = new URL(redirectUri)
  const frame = document.createElement('iframe')
  frame.name = silentFrameName
  frame.hidden = true
  frame.title = 'Sign-in'
  return new Promise((resolve) => {
    /** Reads the address of the frame, which fails while its page has another origin. */
    const checkFrame = (isLoaded: boolean) => {
      let address: Location | undefined
      try {
        address = frame.contentWindow?.location
        if (address?.origin === expected.origin && address.pathname === expected.pathname)
          return finish(new URLSearchParams(address.search))
      } catch {
        // A loaded page of another origin is an error page or a page of daikon. Before the load
        // event, redirects are still in progress.
        if (isLoaded) finish(undefined)
      }
    }
    const finish = (query: URLSearchParams | undefined) => {
      clearInterval(poll)
      clearTimeout(timer)
      frame.remove()
      resolve(query)
    }
    const poll = setInterval(() => checkFrame(false), framePollInterval)
    const timer = setTimeout(() => finish(undefined), timeoutMs)
    frame.onload = () => checkFrame(true)
    frame.src = url
    document.body.append(frame)
  })
}

/**
 * Resolves the URL to return to.
 *
 * @throws InvalidArgumentError if the URL does not belong to the application
 */
export function resolveReturnTo(returnTo: string, base: string): string {
  const url = URL.canParse(returnTo, base) ? new URL(returnTo, base) : undefined
  if (url?.origin === new URL(base).origin) return url.pathname + url.search + url.hash
  throw invalidArgument({ field: 'returnTo', message: 'must be an address of the same origin' })
}

/** Throws errors of the code exchange as sign-in errors, except for those that a retry may fix. */
function toSignInError(error: unknown): never {
  if (!(error instanceof DaikonError)) throw error
  if (error.code !== 'failed_precondition' && error.code !== 'unauthenticated') throw error
  throw new SignInError(error.reason, error.message, { cause: error })
}

function randomText(): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)))
}

function encodeBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
