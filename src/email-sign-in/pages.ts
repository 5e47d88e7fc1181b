import type { HostedPage } from '../../gen/daikon/v1/oauth.ts'
import { createLink, createPage } from '../identity/oauth/hosted-page.ts'
import type { OAuthState } from '../identity/state-cookie.ts'

export function addressUrl(baseUrl: string): string {
  return `${baseUrl}/auth/email`
}

export function codeUrl(baseUrl: string): string {
  return `${baseUrl}/auth/email/code`
}

/** Returns the URL that begins the sign-in by another method of the user. */
export function confirmUrl(baseUrl: string, { secrets }: OAuthState, provider: string): string {
  return `${baseUrl}/auth/email/confirm?${new URLSearchParams({ state: secrets.state, provider })}`
}

/** Returns the page that asks for the address. */
export function addressPage(
  baseUrl: string,
  { secrets }: OAuthState,
  email: string,
  error?: string,
): HostedPage {
  return createPage('ask_for_code', {
    email,
    links: [createLink({ label: 'Send a code', url: addressUrl(baseUrl) })],
    fields: [{ name: 'state', value: secrets.state }],
    ...(error !== undefined && { error }),
  })
}

/** Returns the page that asks for the code, which was sent to an address if it may have one. */
export function codePage(
  baseUrl: string,
  { secrets }: OAuthState,
  email: string,
  error?: string,
): HostedPage {
  const again = `${addressUrl(baseUrl)}?${new URLSearchParams({ state: secrets.state })}`
  return createPage('enter_code', {
    email,
    links: [
      createLink({ label: 'Sign in', url: codeUrl(baseUrl) }),
      createLink({ label: 'Send another code', url: addressUrl(baseUrl) }),
      createLink({ label: 'Use another address', url: again }),
    ],
    fields: [{ name: 'state', value: secrets.state }],
    ...(error !== undefined && { error }),
  })
}
