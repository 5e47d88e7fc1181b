import { isOwnMethod } from '../identity/providers/own-methods.ts'
import { listSignInMethods, titleOf } from '../identity/providers/sign-in-methods.ts'
import type { IdentitySettings } from '../identity/settings.ts'
import { accountClientId } from '../identity/store/client-store.ts'

/** The account page, which the console's build makes. */
export const accountPage = {
  path: '/account',
  folder: 'dist-account',
  createSettings(settings: IdentitySettings & { BASE_URL: string }, features: string[]) {
    const methods = listSignInMethods(settings)
    return {
      base_url: settings.BASE_URL,
      client_id: accountClientId,
      /** Where accounts can be linked. */
      providers: methods
        .filter((name) => !isOwnMethod(name))
        .map((name) => ({ name, title: titleOf(settings, name) })),
      has_passkeys: features.includes('passkeys') && methods.includes('passkey'),
      has_codes: methods.includes('email'),
      has_grants: features.includes('consent'),
      has_delegations: features.includes('delegations'),
    }
  },
}
