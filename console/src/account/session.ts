import { describeSignInError } from '../session/sign-in-errors.ts'
import {
  createChallenge,
  createPendingSignIn,
  type PendingSignIn,
  readClaims,
} from '../workspace-console/pkce.ts'
import { settings } from './page-settings.ts'

/** The tokens are in memory alone: a reload signs in by the session of the browser. */
let tokens: { access_token: string; refresh_token: string } | undefined
let renewal: Promise<boolean> | undefined

const callback = `${settings.base_url}/account/callback`
/** The path of the links by which agents ask to act for a person. Their parameters stay in the address. */
export const delegationLinkPath = '/account/delegations/new'

const storageKey = (state: string) => `daikon.account-sign-in.${state}`

/** An error of the API, or a request without an answer. */
export class RequestFailure extends Error {
  readonly reason: string
  readonly problem: Record<string, unknown>

  constructor(problem: Record<string, unknown>) {
    super(String(problem.detail ?? 'The server cannot be reached'))
    this.name = 'RequestFailure'
    this.reason = String(problem.reason ?? 'UNREACHABLE')
    this.problem = problem
  }
}

/**
 * Leaves the page to sign in, and comes back. `none` asks nothing, and `login` signs in again, after which
 * the server accepts changes to how the user signs in.
 */
export async function signIn(prompt?: 'none' | 'login'): Promise<void> {
  const pending = createPendingSignIn()
  const { pathname: path, search: query, hash } = location
  const returnTo = { path, query, hash, prompt }
  sessionStorage.setItem(storageKey(pending.state), JSON.stringify({ ...pending, returnTo }))
  const url = new URL('/oauth/authorize', settings.base_url)
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: settings.client_id,
    redirect_uri: callback,
    scope: 'openid',
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await createChallenge(pending.verifier),
    code_challenge_method: 'S256',
    ...(prompt && { prompt }),
  }).toString()
  location.replace(url)
}

/** What a sign-in has led to. */
export type Arrival = {
  isSignedIn: boolean
  error?: string
  hasSteppedUp?: boolean
  query: URLSearchParams
}

/** Completes the sign-in that led here. Returns undefined if the page has just been opened. */
export async function completeSignIn(): Promise<Arrival | undefined> {
  const query = new URLSearchParams(location.search)
  const key = storageKey(query.get('state') ?? '')
  const stored = location.pathname.endsWith('/callback') && sessionStorage.getItem(key)
  if (!stored) return undefined
  sessionStorage.removeItem(key)
  const { returnTo, ...pending } = JSON.parse(stored) as PendingSignIn & {
    returnTo: { path: string; query: string; hash: string; prompt?: string }
  }
  const isLink = returnTo.path === delegationLinkPath
  const path = isLink ? returnTo.path + returnTo.query : '/account'
  history.replaceState(undefined, '', path + returnTo.hash)
  const arrival = { query: new URLSearchParams(returnTo.query) }
  const error = query.get('iss') === settings.base_url ? query.get('error') : 'invalid_issuer'
  if (error) {
    const isSilent = returnTo.prompt === 'none'
    const description = describeSignInError(error, query.get('error_description'))
    return { ...arrival, isSignedIn: false, ...(!isSilent && { error: description }) }
  }
  const issued = await requestTokens({
    grant_type: 'authorization_code',
    code: query.get('code') ?? '',
    code_verifier: pending.verifier,
    redirect_uri: callback,
  })
  const { nonce, aud } = readClaims(issued.id_token ?? '')
  if (nonce !== pending.nonce || aud !== settings.client_id)
    return { ...arrival, isSignedIn: false, error: 'The sign-in failed' }
  tokens = issued
  return { ...arrival, isSignedIn: true, hasSteppedUp: returnTo.prompt === 'login' }
}

type IssuedTokens = { access_token: string; refresh_token: string; id_token?: string }

async function requestTokens(form: Record<string, string>): Promise<IssuedTokens> {
  const body = new URLSearchParams({ ...form, client_id: settings.client_id })
  const response = await fetch('/oauth/token', { method: 'POST', body }).catch(() => undefined)
  const content = (await response?.json().catch(() => ({}))) ?? {}
  if (response?.ok) return content
  throw new RequestFailure({ detail: content.error_description, reason: content.error })
}

/**
 * Calls the API. Renews the token once if it has expired.
 *
 * @throws {RequestFailure} if the server refuses the request or cannot be reached
 */
export async function call<Result>(method: string, path: string, body?: object): Promise<Result> {
  const response = await send(method, path, body)
  if (response.status === 204) return undefined as Result
  const content = await response.json().catch(() => ({}))
  if (response.ok) return content
  throw new RequestFailure(content)
}

async function send(
  method: string,
  path: string,
  body?: object,
  isRepeated = false,
): Promise<Response> {
  const response = await fetch(path, {
    method,
    headers: {
      authorization: `Bearer ${tokens?.access_token}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new RequestFailure({})
  })
  if (response.status !== 401 || isRepeated) return response
  const { reason } = await response
    .clone()
    .json()
    .catch(() => ({}))
  if (reason === 'SIGN_IN_TOO_OLD' || !(await renew())) return response
  return send(method, path, body, true)
}

function renew(): Promise<boolean> {
  renewal ??= refresh().finally(() => {
    renewal = undefined
  })
  return renewal
}

async function refresh(): Promise<boolean> {
  if (!tokens) return false
  try {
    tokens = await requestTokens({
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
    })
    return true
  } catch {
    return false
  }
}
