import type { CompleteLoginRequest } from '../../gen/daikon/v1/auth.ts'
import { ServiceError } from '../core/errors.ts'
import { databaseError } from '../database/database-errors.ts'
import type { IdentityContext } from './identity-dependencies.ts'
import { readConnectionId } from './providers/connection.ts'
import { isOwnMethod } from './providers/own-methods.ts'
import {
  type Identity,
  type LoginOptions,
  type Provider,
  type SignInProviderName,
  signInMethodNames,
} from './providers/provider.ts'
import { isAdminMethod } from './providers/sign-in-methods.ts'
import { reasons } from './reasons.ts'
import { hashSecret, isSameSecret } from './secret.ts'
import {
  failure,
  type SignInError,
  type SignInFailure,
  type SignInResult,
  success,
} from './sign-in-result.ts'
import { type Continuation, type Flow, maxFlowSeconds, type OAuthState } from './state-cookie.ts'

/**
 * Returns a configured provider by its name, or the one of an active connection, by which nobody signs
 * in to the admin console. Throws not_found if there is none.
 */
export async function requireProvider(
  context: IdentityContext,
  name: string,
  flow: Flow,
): Promise<Provider> {
  const provider = await findProvider(context, name, flow)
  if (provider) return provider
  throw new ServiceError(reasons.PROVIDER_NOT_FOUND)
}

/** Like `requireProvider`, but returns undefined if there is none. */
export async function findProvider(
  { identity, stores }: IdentityContext,
  name: string,
  flow: Flow,
): Promise<Provider | undefined> {
  const configured = findProviderName(name)
  if (configured) {
    const isOff = flow === 'admin' && !isAdminMethod(identity.settings, name)
    return isOff ? undefined : identity.providers.get(configured)
  }
  const connectionId = flow === 'user' ? readConnectionId(name) : undefined
  const connection = connectionId && (await stores.signInConnections.findActive(connectionId))
  return connection ? identity.connectionProviders.providerOf(connection) : undefined
}

/** Starts a login. Returns where to send the browser, and the state to store in its cookie. */
export async function startFlow(
  context: IdentityContext,
  provider: Provider,
  login: Continuation,
  loginOptions: LoginOptions = {},
): Promise<SignInResult<{ location: string; state: string; login_state: string }>> {
  const { stateCookies, settings } = context.identity
  const started = await provider.begin(callbackUrl(settings, login.flow, provider), loginOptions)
  if (!started.ok) return warnOf(context, started)
  const { url, secrets } = started.value
  const { name, configuration } = provider
  const startedAt = Math.floor(context.identity.clock().getTime() / 1000)
  const state = {
    ...login,
    provider: name,
    startedAt,
    ...(configuration && { configuration }),
    secrets,
  }
  const login_state = await stateCookies.seal(state)
  return success({ location: url, state: secrets.state, login_state })
}

/**
 * Returns the login that a callback belongs to.
 *
 * Throws unless the callback's state matches an intact cookie for this provider and flow, and has
 * not been used before. No other parameter of the callback is read until then.
 */
export async function resumeFlow(
  context: IdentityContext,
  { provider, state, login_state }: CompleteLoginRequest,
  flow: Flow,
): Promise<OAuthState> {
  await requireProvider(context, provider, flow)
  const { identity, stores, now } = context
  const login = login_state ? await identity.stateCookies.open(login_state) : undefined
  if (!login || login.flow !== flow || !mayComplete(login, provider)) throw stateRefused()
  if (!state || !isSameSecret(state, login.secrets.state)) throw stateRefused()
  const expiresAt = new Date(now.getTime() + maxFlowSeconds * 1000)
  if (!(await stores.codes.consumeState(hashSecret(state), expiresAt))) {
    identity.onReplay('sign_in_state')
    throw stateRefused()
  }
  return { ...login, provider: provider as SignInProviderName }
}

/**
 * Whether a provider may complete a login. The pages of daikon's own methods share theirs, because what
 * they prove names the method.
 */
function mayComplete(login: OAuthState, provider: string): boolean {
  return login.provider === provider || (isOwnMethod(login.provider) && isOwnMethod(provider))
}

/** Completes the login at the provider and returns the identity of the person. */
export async function fetchIdentity(
  context: IdentityContext,
  request: CompleteLoginRequest,
  login: OAuthState,
): Promise<SignInResult<Identity>> {
  const provider = await requireProvider(context, login.provider, login.flow)
  // Otherwise, a provider that has since been replaced would learn the code of the one before.
  if (provider.configuration !== login.configuration)
    return failure('state_mismatch', 'the provider was replaced')
  const callback = new URLSearchParams()
  for (const name of ['state', 'code', 'error', 'error_description', 'iss'] as const) {
    const value = request[name]
    if (value !== undefined) callback.set(name, value)
  }
  const redirectUri = callbackUrl(context.identity.settings, login.flow, provider)
  const result = await provider.complete(callback, redirectUri, login.secrets)
  if (!result.ok) return warnOf(context, result)
  return login.links ? success({ ...result.value, links: login.links }) : result
}

/** What an operator can do about an address that cannot be used. */
const cures: Partial<Record<SignInError, string>> = {
  email_missing:
    'request the scope email, or add the claim email to ID tokens or UserInfo at the provider',
  email_unsupported:
    'give the account an address of ASCII characters at the provider, with the domain in the form xn--',
  email_not_verified:
    'let the person verify the address at the provider, or add email_verified to ID tokens or UserInfo (Microsoft: xms_edov, or set MICROSOFT_TRUST_EMAIL)',
}

/**
 * Records a failed login, and logs the cure. The event has no actor, because the person is not
 * authenticated.
 */
export function recordFailure(
  { stores, warn }: IdentityContext,
  { flow, provider }: OAuthState,
  { error }: SignInFailure,
): Promise<void> {
  const cure = cures[error]
  if (cure) warn(`Sign-in by ${provider} failed: ${error}: ${cure}`)
  const action = flow === 'admin' ? 'admin.sign_in_failed' : 'user.sign_in_failed'
  return stores.activity.record({ actorId: undefined }, { action, detail: { provider, error } })
}

/**
 * Runs `complete` and reports its outcome to `onSignIn` exactly once: `ok`, the error of the
 * result, or the reason of a thrown error in lower case.
 */
export async function reportOutcome<Response>(
  { identity }: IdentityContext,
  { flow, provider }: { flow: Flow; provider: string },
  complete: () => Promise<{ result: SignInResult<unknown>; response: Response }>,
): Promise<Response> {
  // The name comes from the path, so an unknown name must not become a metric label.
  const isConnection = readConnectionId(provider) !== undefined
  const label = isConnection ? 'connection' : (findProviderName(provider) ?? 'unknown')
  const report = (outcome: string) => identity.onSignIn({ flow, provider: label, outcome })
  const completed = await complete().catch((error) => {
    report(ServiceError.from(databaseError(error)).reason.toLowerCase())
    throw error
  })
  const { result, response } = completed
  report(result.ok ? 'ok' : result.error)
  return response
}

function findProviderName(name: string) {
  return signInMethodNames.find((one) => one === name)
}

/**
 * Logs the reason of a failure at the provider. The browser receives only the public description.
 */
function warnOf({ warn }: IdentityContext, failure: SignInFailure): SignInFailure {
  warn(`Sign-in failed at the identity provider: ${failure.error}: ${failure.reason}`)
  return failure
}

/**
 * Returns the redirect URI of a login. It is built from the configured base URL, never from the
 * Host header.
 */
export function callbackUrl(
  { BASE_URL: baseUrl }: { BASE_URL: string },
  flow: Flow,
  { name }: Pick<Provider, 'name'>,
): string {
  return `${baseUrl}/auth/${flow === 'admin' ? 'admin/' : ''}callback/${name}`
}

export function stateRefused(): ServiceError {
  return new ServiceError(reasons.STATE_REFUSED)
}
