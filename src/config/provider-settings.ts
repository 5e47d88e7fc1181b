import { isSecureUrl } from '../core/loopback.ts'

/** The settings of the three providers, under their variables' names. */
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

/** The tenants of Microsoft's that stand for many. */
export const sharedTenants = ['common', 'organizations', 'consumers']

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
    if (!isSecureUrl(settings[name])) {
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
