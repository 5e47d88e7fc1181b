import type { CompleteLoginRequest } from '../../gen/daikon/v1/auth.ts'
import { recordActivity } from '../activity/record-activity.ts'
import { ServiceError } from '../core/errors.ts'
import type { IdentityContext } from './identity-dependencies.ts'
import type { Identity, Provider, ProviderName } from './providers/provider.ts'
import { ProviderError } from './providers/provider-error.ts'
import { hashSecret } from './secret.ts'
import { type Flow, loginSeconds, type OAuthState } from './state-cookie.ts'

/** Why a login leads to no sign-in, as the redirect tells it (RFC 6749, 4.1.2.1). */
export type Failure = { error: string; error_description: string }

/** Whether a step ended in a failure. */
export function isFailure(result: object): result is Failure {
  return 'error' in result
}

/** The provider of a path; one without a client id is not there. */
export function requireProvider({ identity }: IdentityContext, name: string): Provider {
  const provider = identity.providers.get(name as ProviderName)
  if (provider) return provider
  throw new ServiceError(
    'not_found',
    'PROVIDER_NOT_FOUND',
    'There is no such identity provider here',
  )
}

/** Begins a round to the provider; what it has to remember goes along, sealed. */
export async function startFlow(
  context: IdentityContext,
  provider: Provider,
  login: Pick<OAuthState, 'flow' | 'client'>,
): Promise<{ location: string; state: string; login_state: string } | Failure> {
  const { identity } = context
  try {
    const { url, secrets } = await provider.begin(
      callbackUrl(identity.options, login.flow, provider),
    )
    const sealed = await identity.stateCookies.seal({ ...login, provider: provider.name, secrets })
    return { location: url, state: secrets.state, login_state: sealed }
  } catch (error) {
    return failureOf(context, error)
  }
}

/**
 * The login that a callback belongs to: its cookie is whole, of this provider and flow, and used for
 * the first time. Nothing of it is believed before the state has been compared with the cookie's.
 */
export async function resumeFlow(
  context: IdentityContext,
  { provider, state, login_state }: CompleteLoginRequest,
  flow: Flow,
): Promise<OAuthState> {
  requireProvider(context, provider)
  const { identity, em, now } = context
  const login = login_state ? await identity.stateCookies.open(login_state) : undefined
  if (!login || login.flow !== flow || login.provider !== provider) throw stateRefused()
  if (!state || hashSecret(state) !== hashSecret(login.secrets.state)) throw stateRefused()
  const expiresAt = new Date(now.getTime() + loginSeconds * 1000)
  const [first] = await em.execute(
    `insert into used_states (state_hash, expires_at) values (?, ?) on conflict do nothing
     returning state_hash`,
    [hashSecret(state), expiresAt],
  )
  if (!first) throw stateRefused()
  return login
}

/** What the provider says of the person, or why it says nothing. */
export async function fetchIdentity(
  context: IdentityContext,
  request: CompleteLoginRequest,
  login: OAuthState,
): Promise<Identity | Failure> {
  const provider = requireProvider(context, login.provider)
  const callback = new URLSearchParams()
  for (const name of ['state', 'code', 'error', 'error_description', 'iss'] as const) {
    const value = request[name]
    if (value !== undefined) callback.set(name, value)
  }
  try {
    const { options } = context.identity
    return await provider.complete(
      callback,
      callbackUrl(options, login.flow, provider),
      login.secrets,
    )
  } catch (error) {
    return failureOf(context, error)
  }
}

/** Notes a login that led to no sign-in; who it was is not known for certain. */
export function recordFailure(
  { em }: IdentityContext,
  { flow, provider }: OAuthState,
  { error }: Failure,
): Promise<void> {
  const action = flow === 'admin' ? 'admin.sign_in_failed' : 'user.sign_in_failed'
  return recordActivity(em, { actorId: undefined }, { action, detail: { provider, error } })
}

/** Why somebody whom the provider knows does not get in. */
export const refusals = {
  email_not_verified: 'The provider does not vouch for the e-mail address',
  user_inactive: 'The account has been deactivated',
  not_admin: 'The account is no administrator',
} as const

/** A refusal as the redirect tells it. */
export function refusal(error: keyof typeof refusals): Failure {
  return { error, error_description: refusals[error] }
}

/** What is told of it in public; the operator hears the reason as well. */
function failureOf({ warn }: IdentityContext, error: unknown): Failure {
  if (!(error instanceof ProviderError)) throw error
  warn(`A sign-in failed at the provider: ${error.code}: ${(error.cause as Error).message}`)
  return { error: error.code, error_description: error.message }
}

/** Where the provider sends the browser back: by our public address, whatever host was asked. */
function callbackUrl({ baseUrl }: { baseUrl: string }, flow: Flow, { name }: Provider): string {
  return `${baseUrl}/auth/${flow === 'admin' ? 'admin/' : ''}callback/${name}`
}

function stateRefused(): ServiceError {
  const detail = 'This sign-in was not started in this browser, or it is already over'
  return new ServiceError('failed_precondition', 'STATE_REFUSED', detail)
}
