import * as openid from 'openid-client'

/** Begins a sign-in at an OpenID provider as a public client. `grant` exchanges the code of the redirect. */
export async function beginSignIn(
  issuer: string,
  clientId: string,
  redirectUri: string,
  parameters: Record<string, string> = {},
) {
  const none = openid.None()
  const insecure = { execute: [openid.allowInsecureRequests] }
  const config = await openid.discovery(new URL(issuer), clientId, undefined, none, insecure)
  const pkceCodeVerifier = openid.randomPKCECodeVerifier()
  const start = openid.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid profile email',
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    ...parameters,
  })
  const grant = (redirect: URL, checks: openid.AuthorizationCodeGrantChecks = {}) =>
    openid.authorizationCodeGrant(config, redirect, { pkceCodeVerifier, ...checks })
  return { config, start, grant }
}
