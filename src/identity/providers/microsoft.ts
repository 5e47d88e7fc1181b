import type { IDToken } from 'oauth4webapi'
import { createOidcProvider } from './oidc.ts'
import { readAddress, readName, readSubject } from './profile.ts'
import type { Provider } from './provider.ts'
import { ProviderError } from './provider-error.ts'
import { type ProviderSettings, sharedTenants } from './provider-settings.ts'

/** The tenant of personal accounts. */
const consumerTenant = '9188040d-6c67-4c5b-b112-36a304b66dad'

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The values of `xms_edov` that mean verified. Microsoft documents no type for this claim. */
const verifiedValues: unknown[] = [true, 1, '1', 'true']

/**
 * Creates the Microsoft Entra ID provider. Tenant and object id identify the person. An address is
 * verified if `xms_edov` says so or MICROSOFT_TRUST_EMAIL is set.
 */
export function createMicrosoft(settings: ProviderSettings, timeout: number): Provider {
  const { MICROSOFT_ISSUER: issuer, MICROSOFT_TRUST_EMAIL: trustEmail } = settings
  const tenant = settings.MICROSOFT_TENANT.toLowerCase()
  const issuerOf = (id: string) => issuer.replace('{tenant}', id)
  const [before = '', after = ''] = issuer.split('{tenant}')

  function isOwnIssuer(name: string): boolean {
    if (name === issuerOf('{tenantid}')) return true
    const id = name.slice(before.length, name.length - after.length)
    return guid.test(id) && name === issuerOf(id)
  }

  /** Returns the tenant of a token after checking it against the issuer and the settings. */
  function readTenant({ tid, iss }: IDToken, discoveredIssuer: string): string {
    if (typeof tid !== 'string' || !guid.test(tid) || iss !== issuerOf(tid)) {
      throw new ProviderError('invalid_response', `tenant ${tid} does not match the issuer ${iss}`)
    }
    const isTemplate = discoveredIssuer.includes('{tenantid}')
    const isOther = isTemplate ? !sharedTenants.includes(tenant) : iss !== discoveredIssuer
    if (guid.test(tenant) ? tid !== tenant : isOther)
      throw new ProviderError('invalid_response', `tenant ${tid} is not ${tenant}`)
    const isPersonal = tid === consumerTenant
    if (isPersonal ? tenant === 'organizations' : tenant === 'consumers') {
      throw new ProviderError('tenant_refused', `tenant ${tid} is not allowed by ${tenant}`)
    }
    return tid
  }

  return createOidcProvider(
    {
      name: 'microsoft',
      grant: {
        clientId: settings.MICROSOFT_CLIENT_ID,
        clientSecret: settings.MICROSOFT_CLIENT_SECRET,
        scope: 'openid profile email',
        pkce: true,
        nonce: true,
      },
      authority: issuerOf(tenant),
      loginPrompt: 'login',
      // UserInfo says nothing about the verification.
      userInfoClaims: ['email'],
      isOwnIssuer,
      readIdentity(claims, discoveredIssuer) {
        const tid = readTenant(claims, discoveredIssuer)
        const isVerified = trustEmail || verifiedValues.includes(claims.xms_edov)
        const address = readAddress(claims.email, isVerified)
        return {
          provider: 'microsoft',
          // Not `sub`, which differs between apps. The object id is unique only within the tenant.
          subject: `${tid}:${readSubject(claims.oid)}`,
          ...address,
          name: readName(claims.name, address.email?.split('@')[0]),
          // Optional claims, which the app registration at Entra ID must request.
          givenName: readName(claims.given_name),
          familyName: readName(claims.family_name),
          avatarUrl: '',
        }
      },
    },
    timeout,
  )
}
