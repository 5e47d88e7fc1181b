import type { IdentityContext } from './identity-dependencies.ts'
import { callbackUrl, stateRefused } from './oauth-flow.ts'
import { isOwnMethod } from './providers/own-methods.ts'
import type { Identity, OwnMethodName } from './providers/provider.ts'
import { isSameSecret } from './secret.ts'
import type { OAuthState } from './state-cookie.ts'

/** The login that a page of one of daikon's own methods belongs to, with the cookie of the browser. */
export type OwnFlowRequest = { state?: string | undefined; login_state?: string | undefined }

/** Returns the login of a page. Throws unless the cookie of the browser is of this login. */
export async function openOwnFlow(
  { identity }: IdentityContext,
  { state, login_state }: OwnFlowRequest,
): Promise<OAuthState> {
  const login = login_state ? await identity.stateCookies.open(login_state) : undefined
  if (!login || !isOwnMethod(login.provider)) throw stateRefused()
  if (!state || !isSameSecret(state, login.secrets.state)) throw stateRefused()
  return login
}

/**
 * Returns the callback that completes the login of a page, which has proved who the person is. From
 * there on, the login is one of any provider.
 */
export async function finishOwnFlow(
  { identity }: IdentityContext,
  { flow, secrets: { state } }: OAuthState,
  person: Identity & { provider: OwnMethodName },
): Promise<string> {
  const code = await identity.proofs.seal(person, state)
  const url = callbackUrl(identity.settings, flow, { name: person.provider })
  return `${url}?${new URLSearchParams({ state, code })}`
}
