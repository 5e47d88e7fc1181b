import type { EnterCodeRequest, EnterCodeResponse } from '../../gen/daikon/v1/email_sign_in.ts'
import { ServiceError } from '../core/errors.ts'
import { createLink, createPage } from '../identity/oauth/hosted-page.ts'
import { requireProvider } from '../identity/oauth-flow.ts'
import { finishOwnFlow, openOwnFlow } from '../identity/own-flow.ts'
import type { Identity, SignInMethodName } from '../identity/providers/provider.ts'
import { isAdminMethod, titleOf } from '../identity/providers/sign-in-methods.ts'
import { hashSecret, isSameSecret } from '../identity/secret.ts'
import type { OAuthState } from '../identity/state-cookie.ts'
import { readCode } from './code.ts'
import type { EmailSignInContext } from './context.ts'
import { addressUrl, codePage, confirmUrl } from './pages.ts'
import { reasons } from './reasons.ts'

/**
 * Displays the page that asks for the code, and completes the sign-in once its form sends the right one. A
 * code is no master key: it signs nobody in who has other ways in and has never used one.
 */
export async function enterCode(
  context: EmailSignInContext,
  { code, is_form, ...flow }: EnterCodeRequest,
): Promise<EnterCodeResponse> {
  const { identity, stores } = context
  const { BASE_URL: baseUrl } = identity.settings
  const login = await openOwnFlow(context, flow)
  await requireProvider(context, 'email', login.flow)
  const { address, secrets } = login
  if (address === undefined)
    return { location: `${addressUrl(baseUrl)}?${new URLSearchParams({ state: secrets.state })}` }
  if (!is_form || code === undefined) return { page: codePage(baseUrl, login, address) }
  const digits = readCode(code)
  if (digits === undefined)
    return { page: codePage(baseUrl, login, address, 'The code is eight digits') }
  const email = await checkCode(context, hashSecret(secrets.state), digits)
  if (email === undefined) {
    identity.onSignIn({ flow: login.flow, provider: 'email', outcome: 'wrong_code' })
    const error = 'This code is wrong or has ended. After five wrong ones, send another code'
    return { page: codePage(baseUrl, login, address, error) }
  }
  const person = { provider: 'email', subject: email } as const
  if ((await stores.accounts.findUserId(person)) === undefined) {
    const ways = await findOtherWays(context, email)
    if (ways.length > 0) return askToConfirm(context, login, email, ways)
  }
  const location = await finishOwnFlow(context, login, {
    ...person,
    email,
    emailVerified: true,
    name: '',
    givenName: '',
    familyName: '',
    avatarUrl: '',
    authentication: { time: identity.clock(), amr: ['otp'] },
  })
  return { location }
}

/**
 * Returns the address of a flow's code if it is the right one, and consumes it. Throws resource_exhausted if
 * too many wrong codes were typed at the IP address.
 */
async function checkCode(
  { stores, identity, macOfCode, network, now }: EmailSignInContext,
  flowHash: string,
  digits: string,
): Promise<string | undefined> {
  const limited = identity.settings.RATE_LIMIT_ENABLED ? network : undefined
  const { email, wait } = await stores.transaction(async (tx) => {
    const wait = limited && (await tx.signInCodes.findWait(limited, now))
    if (wait) return { wait }
    const tried = await tx.signInCodes.takeTry(flowHash, now)
    const email = tried?.email ?? ''
    const mac = macOfCode(flowHash, email, digits)
    if (isSameSecret(mac, tried?.mac ?? '') && (await tx.signInCodes.consume(flowHash, mac)))
      return { email }
    if (limited) await tx.signInCodes.recordWrong(limited, now)
    return {}
  })
  if (wait) throw new ServiceError(reasons.TOO_MANY_WRONG_CODES, undefined, { retryAfter: wait })
  return email
}

/** Returns the methods that the user of an address signs in with, other than codes. */
async function findOtherWays(
  { stores }: EmailSignInContext,
  email: string,
): Promise<Identity['provider'][]> {
  const user = await stores.users.findByEmail(email)
  if (!user) return []
  const accounts = await stores.accounts.list(user.id)
  const names = accounts.map(({ provider }) => provider as SignInMethodName)
  return [...new Set(names.filter((name) => name !== 'email'))]
}

/** Displays the ways in of a user, whose use in this flow links the address. */
async function askToConfirm(
  context: EmailSignInContext,
  login: OAuthState,
  email: string,
  ways: string[],
): Promise<EnterCodeResponse> {
  const { settings, providers, stateCookies } = context.identity
  const names = [...providers.keys()].filter(
    (name) => ways.includes(name) && (login.flow === 'user' || isAdminMethod(settings, name)),
  )
  const links = names.map((name) =>
    createLink({
      label: titleOf(settings, name),
      detail: name,
      url: confirmUrl(settings.BASE_URL, login, name),
    }),
  )
  const proved = { provider: 'email', subject: email } as const
  const login_state = await stateCookies.seal({ ...login, links: proved })
  const page = createPage('confirm_address', { email, links })
  return { page, state: login.secrets.state, login_state }
}
