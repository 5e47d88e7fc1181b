import type { HostedPage } from '../../../gen/daikon/v1/oauth.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import { readConnectionId } from '../providers/connection.ts'
import { isSameSecret } from '../secret.ts'
import { createConfirmation } from './browser-sessions.ts'
import { createLink, createPage } from './hosted-page.ts'

/** A sign-in through a connection that a request asks for. */
export type ConnectionStart = {
  /** The name of the connection's provider. */
  provider: string
  /** The client app, or undefined for an invitation. */
  client: { name?: string; workspaceId: string | null } | undefined
  /** The cookie of the browser. */
  browser: string | undefined
  confirmation: string | undefined
  /** Whether the user typed an address of the connection on a page of daikon. */
  isTyped?: boolean
  /** Returns the URL that repeats the request with a confirmation. */
  urlOf: (confirmation: string) => string
}

/** The page that asks the user, with the cookie of the browser, or why the sign-in is refused. */
export type StartProblem =
  | { page: HostedPage; browser: string; refusal?: never }
  | { refusal: string; page?: never }

/**
 * Returns undefined if a sign-in through a connection may begin: in a client app of its workspace, in a
 * browser that has signed in by it before, or where the user chose it on a page. Otherwise, any
 * workspace could sign strangers in as somebody else.
 */
export async function findStartProblem(
  context: IdentityContext,
  start: ConnectionStart,
): Promise<StartProblem | undefined> {
  const { stores, identity } = context
  const { provider, client, urlOf } = start
  const id = readConnectionId(provider)
  if (id === undefined) return undefined
  const connection = await stores.signInConnections.findActive(id)
  if (!connection) return { refusal: 'The connection is not active' }
  if (!(await stores.signInConnections.hasVerifiedDomain(id)))
    return { refusal: 'The connection has no verified domain' }
  if (start.isTyped || client?.workspaceId === connection.workspaceId) return undefined
  const browser = await identity.browserCookies.read(start.browser)
  if (Object.hasOwn(browser.connections, id)) return undefined
  const confirmation = createConfirmation(browser.secret, `begin ${urlOf('')}`)
  if (isSameSecret(start.confirmation ?? '', confirmation)) return undefined
  const label = (await stores.signInWorkspaces.findName(connection.workspaceId)) ?? ''
  const { host: detail } = new URL(connection.issuer)
  const links = [createLink({ label, detail, url: urlOf(confirmation) })]
  const page = createPage('confirm_connection', { client_name: client?.name ?? '', links })
  return { page, browser: await identity.browserCookies.sign(browser) }
}

/** Returns the cookie of a browser that begins a sign-in, by which parallel sign-ins find each other. */
export async function rememberBrowser(
  { identity: { browserCookies } }: IdentityContext,
  cookie: string | undefined,
): Promise<{ browser: string }> {
  return { browser: await browserCookies.sign(await browserCookies.read(cookie)) }
}

/** Returns the cookie of a browser after a sign-in by a provider, of an address if it is known. */
export async function rememberSignIn(
  { identity: { browserCookies } }: IdentityContext,
  cookie: string | undefined,
  provider: string,
  email: string | undefined,
): Promise<{ browser: string }> {
  const browser = browserCookies.remember(await browserCookies.read(cookie), provider, email)
  return { browser: await browserCookies.sign(browser) }
}
