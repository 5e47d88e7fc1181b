import { authorityOf } from './discovery.ts'
import { createOidcProvider } from './oidc.ts'
import { isTrue, readAddress, readAvatarUrl, readName, readSubject } from './profile.ts'
import type { Provider } from './provider.ts'
import type { ProviderSettings } from './provider-settings.ts'

/** Separates issuer and subject. An issuer has no fragment (OpenID Connect Discovery 1.0, 3). */
const separator = '#'

/**
 * Creates the provider of OIDC_ISSUER. Issuer and `sub` identify the person; `email_verified` is true
 * for a verified address.
 */
export function createGeneric(settings: ProviderSettings, timeout: number): Provider {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId } = settings
  return createOidcProvider(
    {
      name: 'oidc',
      grant: {
        clientId,
        clientSecret: settings.OIDC_CLIENT_SECRET,
        scope: 'openid email profile',
        pkce: true,
        nonce: true,
      },
      authority: authorityOf(issuer),
      isOwnIssuer: (candidate) => candidate === issuer,
      loginPrompt: 'login',
      userInfoClaims: ['email', 'email_verified'],
      configuration: JSON.stringify([issuer, clientId]),
      readIdentity(claims) {
        const address = readAddress(claims.email, isTrue(claims.email_verified))
        return {
          provider: 'oidc',
          subject: `${issuer}${separator}${readSubject(claims.sub)}`,
          ...address,
          ...(!settings.OIDC_TRUST_EMAIL && { joinsNone: true }),
          name: readName(claims.name, address.email?.split('@')[0]),
          givenName: readName(claims.given_name),
          familyName: readName(claims.family_name),
          avatarUrl: readAvatarUrl(claims.picture),
        }
      },
    },
    timeout,
  )
}

/**
 * Returns where an account is kept: the provider, and for OIDC_ISSUER, which may change, also the
 * issuer.
 */
export function originOf({ provider, subject }: { provider: string; subject: string }): string {
  return provider === 'oidc' ? subject.slice(0, subject.indexOf(separator)) : provider
}
