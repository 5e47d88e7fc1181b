import type { AskForCodeRequest, AskForCodeResponse } from '../../gen/daikon/v1/email_sign_in.ts'
import { domainOf, normalizeEmail } from '../core/email.ts'
import { browserHashOf } from '../identity/browser-cookie.ts'
import { loginOptionsOf } from '../identity/oauth/authorization-request.ts'
import { findProvider, requireProvider, startFlow } from '../identity/oauth-flow.ts'
import { openOwnFlow } from '../identity/own-flow.ts'
import { connectionName } from '../identity/providers/connection.ts'
import { hashSecret } from '../identity/secret.ts'
import { continuationOf, type OAuthState } from '../identity/state-cookie.ts'
import type { EmailSignInContext } from './context.ts'
import { addressPage, codeUrl } from './pages.ts'

/**
 * Displays the page that asks for the address, and stores the request for a code once its form sends one. A job
 * later decides whether to send a code.
 */
export async function askForCode(
  context: EmailSignInContext,
  { email: text, browser, is_form, ...flow }: AskForCodeRequest,
): Promise<AskForCodeResponse> {
  const { stores, identity, now } = context
  const { BASE_URL: baseUrl } = identity.settings
  const login = await openOwnFlow(context, flow)
  await requireProvider(context, 'email', login.flow)
  const known = login.address ?? login.secrets.loginHint ?? ''
  if (!is_form || text === undefined) return { page: addressPage(baseUrl, login, known) }
  const email = normalizeEmail(text)
  if (email === undefined) {
    const error = 'This is not an e-mail address of the form name@example.com'
    return { page: addressPage(baseUrl, login, text, error) }
  }
  const atConnection = await startAtConnection(context, login, email)
  if (atConnection) return atConnection
  const { state } = login.secrets
  const login_state = await identity.stateCookies.seal({ ...login, address: email })
  const browserHash = browserHashOf(await identity.browserCookies.read(browser), email) ?? ''
  await stores.signInCodes.ask({ flowHash: hashSecret(state), email, browserHash }, now)
  const location = `${codeUrl(baseUrl)}?${new URLSearchParams({ state })}`
  return { location, state, login_state }
}

/**
 * Begins the sign-in through the connection that has verified the domain of an address: always if it is
 * enforced, and at `/oauth/authorize`, whose sign-in page lets the domain decide.
 */
async function startAtConnection(
  context: EmailSignInContext,
  login: OAuthState,
  email: string,
): Promise<AskForCodeResponse | undefined> {
  if (login.flow === 'admin') return undefined
  const { enforcements, signInConnections } = context.stores
  const domain = domainOf(email)
  const request =
    login.client && 'authorization' in login.client ? login.client.authorization : undefined
  const enforced = await enforcements.findByDomain(domain)
  const id = enforced ?? (request && (await signInConnections.findIdByDomain(domain)))
  const provider = id && (await findProvider(context, connectionName(id), login.flow))
  if (!provider) return undefined
  const options = { ...(request && loginOptionsOf(request)), loginHint: email }
  const started = await startFlow(context, provider, continuationOf(login), options)
  return started.ok ? started.value : undefined
}
