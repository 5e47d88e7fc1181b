import type { IdentitySettings } from '../settings.ts'
import { type ProviderName, providerNames, type SignInMethodName } from './provider.ts'

/** The settings of the methods that people sign in with. */
export type MethodSettings = Pick<
  IdentitySettings,
  | 'SIGN_IN_METHODS'
  | 'ADMIN_SIGN_IN_METHODS'
  | (typeof clientIds)[ProviderName]
  | 'OIDC_ISSUER'
  | 'OIDC_NAME'
>

const clientIds = {
  google: 'GOOGLE_CLIENT_ID',
  microsoft: 'MICROSOFT_CLIENT_ID',
  github: 'GITHUB_CLIENT_ID',
  oidc: 'OIDC_CLIENT_ID',
} as const

const titles = {
  google: 'Google',
  microsoft: 'Microsoft',
  github: 'GitHub',
  email: 'e-mail',
  passkey: 'a passkey',
}

/** Returns the methods that people sign in with, in the order of their buttons. */
export function listSignInMethods(settings: MethodSettings): SignInMethodName[] {
  const { SIGN_IN_METHODS: methods } = settings
  return methods.length > 0 ? methods : providerNames.filter((name) => hasClient(settings, name))
}

/** Returns whether administrators may sign in with a method that people sign in with. */
export function isAdminMethod(
  { ADMIN_SIGN_IN_METHODS: methods }: MethodSettings,
  name: string,
): boolean {
  // A mailbox alone makes no administrator, unless the operator says so.
  return methods.length === 0 ? name !== 'email' : methods.some((method) => method === name)
}

/**
 * Returns whether administrators have a method to sign in with. A passkey is none by itself, because it counts
 * as the method of the session that added it.
 */
export function hasAdminMethod(settings: MethodSettings): boolean {
  return listSignInMethods(settings).some(
    (name) => name !== 'passkey' && isAdminMethod(settings, name),
  )
}

/** Returns the name of a method as displayed to users. */
export function titleOf({ OIDC_NAME, OIDC_ISSUER }: MethodSettings, name: string): string {
  if (name !== 'oidc') return (titles as Record<string, string>)[name] ?? name
  return OIDC_NAME === '' ? new URL(OIDC_ISSUER).host : OIDC_NAME
}

/** Returns a sentence for each mistake in the choice of providers, starting with its variable. */
export function findMethodMistakes(settings: MethodSettings): string[] {
  const methods = listSignInMethods(settings)
  return [
    ...methods
      .filter(isProvider)
      .filter((name) => !hasClient(settings, name))
      .map((name) => `SIGN_IN_METHODS lists ${name}, so ${clientIds[name]} must be set`),
    ...(methods.length === 1 && methods[0] === 'passkey'
      ? [
          'SIGN_IN_METHODS must list another method than passkey, by which people add their first one',
        ]
      : []),
    ...settings.ADMIN_SIGN_IN_METHODS.filter((name) => !methods.includes(name)).map(
      (name) => `ADMIN_SIGN_IN_METHODS lists ${name}, with which nobody can sign in`,
    ),
  ]
}

export function isProvider(name: SignInMethodName): name is ProviderName {
  return providerNames.some((provider) => provider === name)
}

function hasClient(settings: MethodSettings, name: ProviderName): boolean {
  return settings[clientIds[name]] !== ''
}
