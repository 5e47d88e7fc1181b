import { ConfigError } from '../../config/config.ts'
import { createGeneric } from './generic.ts'
import { createGithub } from './github.ts'
import { createGoogle } from './google.ts'
import { createMicrosoft } from './microsoft.ts'
import type { Provider, ProviderName } from './provider.ts'
import { findProviderMistakes, type ProviderSettings } from './provider-settings.ts'
import { isProvider, listSignInMethods } from './sign-in-methods.ts'

const constructors = {
  google: createGoogle,
  microsoft: createMicrosoft,
  github: createGithub,
  oidc: createGeneric,
}

/** The time that a provider has for one step of a sign-in, in milliseconds. */
const defaultTimeout = 10_000

/**
 * Creates the providers that people sign in with, in the order of their buttons. Throws a ConfigError
 * that lists every invalid setting.
 */
export function createProviders(
  settings: ProviderSettings,
  { timeout = defaultTimeout }: { timeout?: number } = {},
): Map<ProviderName, Provider> {
  const mistakes = findProviderMistakes(settings)
  if (mistakes.length > 0) throw new ConfigError(mistakes.join('\n'))
  const names = listSignInMethods(settings).filter(isProvider)
  return new Map(names.map((name) => [name, constructors[name](settings, timeout)]))
}
