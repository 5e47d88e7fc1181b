import { ConfigError } from '../../config/config.ts'
import { findProviderMistakes, type ProviderSettings } from '../../config/provider-settings.ts'
import { createGithub } from './github.ts'
import { createGoogle } from './google.ts'
import { createMicrosoft } from './microsoft.ts'
import { type Provider, type ProviderName, providerNames } from './provider.ts'

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
