import { type ProviderName, providerNames } from './provider.ts'
import type { ProviderSettings } from './provider-settings.ts'

const clientIds = {
  google: 'GOOGLE_CLIENT_ID',
  microsoft: 'MICROSOFT_CLIENT_ID',
  github: 'GITHUB_CLIENT_ID',
  oidc: 'OIDC_CLIENT_ID',
} as const

const titles = { google: 'Google', microsoft: 'Microsoft', github: 'GitHub' }

/** Returns the providers that people sign in with, in the order of their buttons. */
export function listSignInMethods(settings: ProviderSettings): ProviderName[] {
  const { SIGN_IN_METHODS: methods } = settings
  return methods.length > 0 ? methods : providerNames.filter((name) => hasClient(settings, name))
}

/** Returns whether administrators may sign in with a provider that people sign in with. */
export function isAdminMethod(
  { ADMIN_SIGN_IN_METHODS: methods }: ProviderSettings,
  name: string,
): boolean {
  return methods.length === 0 || methods.some((method) => method === name)
}

/** Returns the name of a provider as displayed to users. */
export function titleOf({ OIDC_NAME, OIDC_ISSUER }: ProviderSettings, name: ProviderName): string {
  if (name !== 'oidc') return titles[name]
  return OIDC_NAME === '' ? new URL(OIDC_ISSUER).host : OIDC_NAME
}

/** Returns a sentence for each mistake in the choice of providers, starting with its variable. */
export function findMethodMistakes(settings: ProviderSettings): string[] {
  const methods = listSignInMethods(settings)
  return [
    ...methods
      .filter((name) => !hasClient(settings, name))
      .map((name) => `SIGN_IN_METHODS lists ${name}, so ${clientIds[name]} must be set`),
    ...settings.ADMIN_SIGN_IN_METHODS.filter((name) => !methods.includes(name)).map(
      (name) => `ADMIN_SIGN_IN_METHODS lists ${name}, with which nobody can sign in`,
    ),
  ]
}

function hasClient(settings: ProviderSettings, name: ProviderName): boolean {
  return settings[clientIds[name]] !== ''
}
