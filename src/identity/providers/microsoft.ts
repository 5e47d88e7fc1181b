import type { IDToken } from 'oauth4webapi'
import { type ProviderSettings, sharedTenants } from '../../config/provider-settings.ts'
import { createOidcProvider } from './oidc.ts'
import { readEmail, readName, readSubject } from './profile.ts'
import type { Provider } from './provider.ts'
import { ProviderError } from './provider-error.ts'

/** The tenant of personal accounts. */
const consumerTenant = '9188040d-6c67-4c5b-b112-36a304b66dad'

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** How `xms_edov` has been seen to say yes; left out it says no. */
const edovYes: unknown[] = [true, 1, '1', 'true']

/** Microsoft Entra ID: tenant and object are the person, `xms_edov` vouches for the address. */
export function createMicrosoft(settings: ProviderSettings, timeout: number): Provider {
  const { MICROSOFT_ISSUER: issuer, MICROSOFT_TRUST_EMAIL: trusted } = settings
  const tenant = settings.MICROSOFT_TENANT.toLowerCase()
  const issuerOf = (id: string) => issuer.replace('{tenant}', id)
  const [before = '', after = ''] = issuer.split('{tenant}')

  function ownsIssuer(name: string): boolean {
    if (name === issuerOf('{tenantid}')) return true
    const id = name.slice(before.length, name.length - after.length)
    return guid.test(id) && name === issuerOf(id)
  }

  /** The token's own tenant, once it fits issuer and settings. */
  function readTenant({ tid, iss }: IDToken, announced: string): string {
    if (typeof tid !== 'string' || !guid.test(tid) || iss !== issuerOf(tid)) {
      throw new ProviderError('invalid_response', `tenant ${tid} does not belong to issuer ${iss}`)
    }
    const template = announced.includes('{tenantid}')
    const other = template ? !sharedTenants.includes(tenant) : iss !== announced
    if (guid.test(tenant) ? tid !== tenant : other)
      throw new ProviderError('invalid_response', `tenant ${tid} is not ${tenant}`)
    const personal = tid === consumerTenant
    if (personal ? tenant === 'organizations' : tenant === 'consumers') {
      throw new ProviderError('tenant_refused', `tenant ${tid} is none of ${tenant}`)
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
      ownsIssuer,
      readIdentity(claims, announced) {
        const tid = readTenant(claims, announced)
        const email = readEmail(claims.email)
        return {
          provider: 'microsoft',
          // An object's id is its own within the tenant; `sub` is another for every app.
          subject: `${tid}:${readSubject(claims.oid)}`,
          email,
          emailVerified: email !== undefined && (trusted || edovYes.includes(claims.xms_edov)),
          name: readName(claims.name, email?.split('@')[0]),
          avatarUrl: '',
        }
      },
    },
    timeout,
  )
}
