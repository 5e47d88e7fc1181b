import type { HostedPage, HostedPageLink } from '../../../gen/daikon/v1/oauth.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import { providerNames, providerTitles } from '../providers/provider.ts'

/** Creates a page. Parts that are absent are empty. */
export function createPage(
  kind: string,
  parts: Partial<Omit<HostedPage, 'kind'>> = {},
): HostedPage {
  return { kind, client_name: '', email: '', links: [], invitations: [], fields: [], ...parts }
}

/** Returns a link for each configured identity provider. */
export function listProviderLinks(
  { identity }: Pick<IdentityContext, 'identity'>,
  urlOf: (provider: string) => string,
): HostedPageLink[] {
  return providerNames
    .filter((name) => identity.providers.has(name))
    .map((name) => ({ label: providerTitles[name], detail: name, url: urlOf(name) }))
}
