import { createOidcProvider } from './oidc.ts'
import { isTrue, readAddress, readAvatarUrl, readName, readSubject } from './profile.ts'
import type { Provider } from './provider.ts'
import type { ProviderSettings } from './provider-settings.ts'

const domainPattern = /^[a-z0-9.-]{1,253}$/

/**
 * Creates the Google provider. `sub` identifies the person; `email_verified` is true for a verified
 * address.
 */
export function createGoogle(settings: ProviderSettings, timeout: number): Provider {
  const issuer = settings.GOOGLE_ISSUER
  // Google's ID tokens contain the issuer with or without the scheme.
  const issuers = [issuer, `${issuer}/`, issuer.replace(/^https?:\/\//, '')]
  return createOidcProvider(
    {
      name: 'google',
      grant: {
        clientId: settings.GOOGLE_CLIENT_ID,
        clientSecret: settings.GOOGLE_CLIENT_SECRET,
        scope: 'openid email profile',
        pkce: true,
        nonce: true,
      },
      authority: issuer,
      // Google does not support `login`.
      loginPrompt: 'select_account',
      userInfoClaims: ['email', 'email_verified'],
      isOwnIssuer: (name) => issuers.includes(name),
      readIdentity(claims) {
        const address = readAddress(claims.email, isTrue(claims.email_verified))
        return {
          provider: 'google',
          subject: readSubject(claims.sub),
          ...address,
          name: readName(claims.name, address.email?.split('@')[0]),
          givenName: readName(claims.given_name),
          familyName: readName(claims.family_name),
          avatarUrl: readAvatarUrl(claims.picture),
          ...(typeof claims.hd === 'string' &&
            domainPattern.test(claims.hd) && { hostedDomain: claims.hd }),
        }
      },
    },
    timeout,
  )
}
