import type { HostedPage, HostedPageField, HostedPageLink } from '../../../gen/daikon/v1/oauth.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import { titleOf } from '../providers/sign-in-methods.ts'

/** Creates a page. Parts that are absent are empty. */
export function createPage(
  kind: string,
  parts: Partial<Omit<HostedPage, 'kind'>> = {},
): HostedPage {
  return { kind, client_name: '', email: '', links: [], invitations: [], fields: [], ...parts }
}

/** Returns what a page says about the user who is signed in. */
export function describeSignedIn(
  { identity: { accountUrl } }: Pick<IdentityContext, 'identity'>,
  { email }: { email: string },
): Pick<HostedPage, 'email' | 'account_url'> {
  return { email, ...(accountUrl && { account_url: accountUrl }) }
}

/** Creates an option of a page. Parts that are absent are empty. */
export function createLink(parts: Partial<HostedPageLink>): HostedPageLink {
  return { label: '', detail: '', url: '', confirmation: '', ...parts }
}

/** Returns the target and the fields of the form that sends the request of a URL. */
export function createForm(url: string): { url: string; fields: HostedPageField[] } {
  const { origin, pathname, searchParams } = new URL(url)
  const fields = [...searchParams].map(([name, value]) => ({ name, value }))
  return { url: origin + pathname, fields }
}

/** Returns a link for each configured identity provider. */
export function listProviderLinks(
  { identity }: Pick<IdentityContext, 'identity'>,
  urlOf: (provider: string) => string,
): HostedPageLink[] {
  return [...identity.providers.keys()].map((name) =>
    createLink({ label: titleOf(identity.settings, name), detail: name, url: urlOf(name) }),
  )
}
