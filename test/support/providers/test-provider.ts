import type { Provider, ProviderName } from '../../../src/identity/providers/provider.ts'
import type { ProviderSettings } from '../../../src/identity/providers/provider-settings.ts'
import { createProviders } from '../../../src/identity/providers/providers.ts'

/** Default settings with no provider configured. */
export const unconfigured: ProviderSettings = {
  GOOGLE_CLIENT_ID: '',
  GOOGLE_CLIENT_SECRET: '',
  GOOGLE_ISSUER: 'https://accounts.google.com',
  MICROSOFT_CLIENT_ID: '',
  MICROSOFT_CLIENT_SECRET: '',
  MICROSOFT_TENANT: 'common',
  MICROSOFT_ISSUER: 'https://login.microsoftonline.com/{tenant}/v2.0',
  MICROSOFT_TRUST_EMAIL: false,
  GITHUB_CLIENT_ID: '',
  GITHUB_CLIENT_SECRET: '',
  GITHUB_URL: 'https://github.com',
  GITHUB_API_URL: 'https://api.github.com',
  GITHUB_PKCE: false,
  OIDC_CLIENT_ID: '',
  OIDC_CLIENT_SECRET: '',
  OIDC_ISSUER: '',
  OIDC_NAME: '',
  OIDC_TRUST_EMAIL: false,
  SIGN_IN_METHODS: [],
  ADMIN_SIGN_IN_METHODS: [],
}

/** Creates a provider with these settings. `timeout` is in milliseconds. */
export function createTestProvider(
  name: ProviderName,
  settings: Partial<ProviderSettings>,
  timeout = 30_000,
): Provider {
  const ids = { [`${name.toUpperCase()}_CLIENT_ID`]: 'daikon' }
  const secrets = { [`${name.toUpperCase()}_CLIENT_SECRET`]: 'secret' }
  const provider = createProviders(
    { ...unconfigured, ...ids, ...secrets, ...settings },
    { timeout },
  ).get(name)
  if (!provider) throw new Error(`${name} is not configured`)
  return provider
}
