import { ConfigError } from '../../config/config.ts'
import { createGithub } from './github.ts'
import { createGoogle } from './google.ts'
import { createMicrosoft } from './microsoft.ts'
import { type Provider, type ProviderName, providerNames } from './provider.ts'
import { findProviderMistakes, type ProviderSettings } from './provider-settings.ts'

const constructors = {
  google: { client: 'GOOGLE_CLIENT_ID', create: createGoogle },
  microsoft: { client: 'MICROSOFT_CLIENT_ID', create: createMicrosoft },
  github: { client: 'GITHUB_CLIENT_ID', create: createGithub },
} as const

/** The time that a provider has for one step of a sign-in, in milliseconds. */
const defaultTimeout = 10_000

/**
 * Creates the providers that have a client id. Throws a ConfigError that lists every invalid
 * setting.
 */
export function createProviders(
  settings: ProviderSettings,
  { timeout = defaultTimeout }: { timeout?: number } = {},
): Map<ProviderName, Provider> {
  const mistakes = findProviderMistakes(settings)
  if (mistakes.length > 0) throw new ConfigError(mistakes.join('\n'))
  const providers = new Map<ProviderName, Provider>()
  for (const name of providerNames) {
    const { client, create } = constructors[name]
    if (settings[client] !== '') providers.set(name, create(settings, timeout))
  }
  return providers
}
