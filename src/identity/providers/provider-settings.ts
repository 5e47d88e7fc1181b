import { isSecureUrl } from '../../core/loopback.ts'
import type { IdentitySettings } from '../settings.ts'
import { findMethodMistakes } from './sign-in-methods.ts'

/** The settings of the identity providers, and which of them people sign in with. */
export type ProviderSettings = Pick<
  IdentitySettings,
  | Extract<keyof IdentitySettings, `${'GOOGLE' | 'MICROSOFT' | 'GITHUB' | 'OIDC'}_${string}`>
  | 'SIGN_IN_METHODS'
  | 'ADMIN_SIGN_IN_METHODS'
>

/** The values of MICROSOFT_TENANT that allow accounts of more than one tenant. */
export const sharedTenants = ['common', 'organizations', 'consumers']

const urlSettings = ['GOOGLE_ISSUER', 'MICROSOFT_ISSUER', 'GITHUB_URL', 'GITHUB_API_URL'] as const

/** Returns a sentence for each mistake in the settings, starting with its variable. */
export function findProviderMistakes(settings: ProviderSettings): string[] {
  const { MICROSOFT_TENANT: tenant, MICROSOFT_ISSUER: issuer } = settings
  const mistakes: string[] = []
  for (const name of urlSettings) {
    if (!isSecureUrl(settings[name])) {
      mistakes.push(`${name} must be an https URL, or an http URL of a loopback host`)
    }
  }
  if (!/^[A-Za-z0-9][A-Za-z0-9.-]*$/.test(tenant)) {
    mistakes.push(
      'MICROSOFT_TENANT must be common, organizations, consumers, a tenant ID or a domain',
    )
  }
  if (issuer.split('{tenant}').length > 2) {
    mistakes.push('MICROSOFT_ISSUER must contain {tenant} at most once')
  }
  if (settings.MICROSOFT_TRUST_EMAIL && sharedTenants.includes(tenant.toLowerCase())) {
    mistakes.push(`MICROSOFT_TRUST_EMAIL must be false if MICROSOFT_TENANT is ${tenant}`)
  }
  return [...mistakes, ...findIssuerMistakes(settings), ...findMethodMistakes(settings)]
}

function findIssuerMistakes({ OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId }: ProviderSettings) {
  if (issuer === '')
    return clientId === '' ? [] : ['OIDC_ISSUER must be set if OIDC_CLIENT_ID is set']
  const mistakes = clientId === '' ? ['OIDC_CLIENT_ID must be set if OIDC_ISSUER is set'] : []
  if (!isSecureUrl(issuer) || /[?#\s]/.test(issuer)) {
    const meaning =
      'an https URL, or an http URL of a loopback host, without a query and a fragment'
    mistakes.push(`OIDC_ISSUER must be ${meaning}`)
  }
  return mistakes
}
