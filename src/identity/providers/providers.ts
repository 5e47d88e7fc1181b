import { ConfigError } from '../../setting.ts'
import { isProviderAddress } from './address.ts'
import { createGithub } from './github.ts'
import { createGoogle } from './google.ts'
import { createMicrosoft, sharedTenants } from './microsoft.ts'
import { type Provider, type ProviderName, providerNames } from './provider.ts'

/** The settings of the three providers, under their variables' names (contract 1). */
export type ProviderSettings = {
  GOOGLE_CLIENT_ID: string
  GOOGLE_CLIENT_SECRET: string
  GOOGLE_ISSUER: string
  MICROSOFT_CLIENT_ID: string
  MICROSOFT_CLIENT_SECRET: string
  MICROSOFT_TENANT: string
  /** With `{tenant}` where the tenant goes. */
  MICROSOFT_ISSUER: string
  MICROSOFT_TRUST_EMAIL: boolean
  GITHUB_CLIENT_ID: string
  GITHUB_CLIENT_SECRET: string
  GITHUB_URL: string
  GITHUB_API_URL: string
  GITHUB_PKCE: boolean
}

const table = {
  google: { client: 'GOOGLE_CLIENT_ID', create: createGoogle },
  microsoft: { client: 'MICROSOFT_CLIENT_ID', create: createMicrosoft },
  github: { client: 'GITHUB_CLIENT_ID', create: createGithub },
} as const

/** How long a provider may take over one step of a sign-in, in milliseconds. */
const patience = 10_000

/** The providers that have a client id; throws ConfigError with every mistake in their settings. */
export function createProviders(
  settings: ProviderSettings,
  { timeout = patience }: { timeout?: number } = {},
): Map<ProviderName, Provider> {
  const mistakes = findProviderMistakes(settings)
  if (mistakes.length > 0) throw new ConfigError(mistakes.join('\n'))
  const providers = new Map<ProviderName, Provider>()
  for (const name of providerNames) {
    const { client, create } = table[name]
    if (settings[client] !== '') providers.set(name, create(settings, timeout))
  }
  return providers
}

/** What is wrong with the settings, each sentence beginning with the variable's name. */
export function findProviderMistakes(settings: ProviderSettings): string[] {
  const { MICROSOFT_TENANT: tenant, MICROSOFT_ISSUER: issuer } = settings
  const mistakes: string[] = []
  for (const name of [
    'GOOGLE_ISSUER',
    'MICROSOFT_ISSUER',
    'GITHUB_URL',
    'GITHUB_API_URL',
  ] as const) {
    if (!isProviderAddress(settings[name])) {
      mistakes.push(`${name} must be an https URL, or http on a loopback host`)
    }
  }
  if (!/^[A-Za-z0-9][A-Za-z0-9.-]*$/.test(tenant)) {
    mistakes.push('MICROSOFT_TENANT must be common, organizations, consumers, an id or a domain')
  }
  if (issuer.split('{tenant}').length > 2) {
    mistakes.push('MICROSOFT_ISSUER must not name {tenant} twice')
  }
  if (settings.MICROSOFT_TRUST_EMAIL && sharedTenants.includes(tenant.toLowerCase())) {
    mistakes.push(`MICROSOFT_TRUST_EMAIL must not be true with the tenant ${tenant}`)
  }
  return mistakes
}
