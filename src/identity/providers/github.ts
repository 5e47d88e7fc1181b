import * as oauth from 'oauth4webapi'
import { isLoopbackHttp } from '../../core/loopback.ts'
import { beginGrant, checkCallback, clientOf, exchangeCode } from './code-grant.ts'
import {
  type GithubEmail,
  type GithubUser,
  type ReadDocument,
  readGithubEmails,
  readGithubUser,
  readTokenResponse,
} from './documents.ts'
import { createRequestOptions, type RequestOptions } from './http-client.ts'
import { readAddress, readAvatarUrl, readName } from './profile.ts'
import type { Identity, Provider } from './provider.ts'
import { ProviderError, toResult } from './provider-error.ts'
import type { ProviderSettings } from './provider-settings.ts'

/** The domain of the private addresses that GitHub assigns. They receive no mail. */
const hiddenAddressDomain = '@users.noreply.github.com'

/**
 * Creates the GitHub provider. GitHub issues no ID token: the identity is read from its REST API.
 */
export function createGithub(settings: ProviderSettings, timeout: number): Provider {
  const { GITHUB_URL: url, GITHUB_API_URL: api } = settings
  const server: oauth.AuthorizationServer = {
    issuer: `${url}/login/oauth`,
    authorization_endpoint: `${url}/login/oauth/authorize`,
    token_endpoint: `${url}/login/oauth/access_token`,
  }
  const grant = {
    clientId: settings.GITHUB_CLIENT_ID,
    clientSecret: settings.GITHUB_CLIENT_SECRET,
    scope: 'read:user user:email',
    pkce: settings.GITHUB_PKCE,
    nonce: false,
  }
  const allowInsecure = isLoopbackHttp(url)

  async function callApi<Value>(
    path: string,
    token: string,
    options: RequestOptions,
    read: ReadDocument<Value>,
  ): Promise<Value> {
    const headers = new Headers({ accept: 'application/vnd.github+json' })
    const response = await oauth.protectedResourceRequest(
      token,
      'GET',
      new URL(`${api}${path}`),
      headers,
      null,
      options,
    )
    if (response.status === 200) return read(await response.json())
    throw new ProviderError('provider_error', `${path}: status ${response.status}`)
  }

  return {
    name: 'github',
    begin: (redirectUri, { prompt, loginHint } = {}) =>
      toResult(() =>
        beginGrant(grant, server, redirectUri, {
          // GitHub does not support `login`.
          prompt: prompt && 'select_account',
          login: loginHint,
        }),
      ),

    complete: (callback, redirectUri, secrets) =>
      toResult(async () => {
        checkCallback(grant, callback, secrets)
        const options = createRequestOptions(timeout, allowInsecure)
        const response = await exchangeCode(grant, server, callback, redirectUri, secrets, options)
        await throwErrorBody(response.clone())
        const client = clientOf(grant)
        const tokens = await oauth.processAuthorizationCodeResponse(server, client, response)
        checkScope(tokens.scope ?? '')
        const [user, emails] = await Promise.all([
          callApi('/user', tokens.access_token, options, readGithubUser),
          callApi('/user/emails', tokens.access_token, options, readGithubEmails),
        ])
        return readIdentity(user, emails)
      }),
  }
}

/** GitHub returns errors with status 200 instead of the 400 of RFC 6749, 5.2. */
async function throwErrorBody(response: Response): Promise<void> {
  const { error, error_description } = readTokenResponse(await response.json())
  if (error !== undefined) {
    throw new ProviderError('provider_error', `${error}: ${error_description}`)
  }
}

/**
 * Throws unless the granted scope includes e-mail addresses, because the user may grant less than
 * was requested. `user` includes `user:email`.
 */
function checkScope(scope: string): void {
  const granted = scope.split(/[\s,]+/)
  if (!granted.includes('user:email') && !granted.includes('user')) {
    throw new ProviderError('email_scope_missing', `granted scope: ${scope}`)
  }
}

function readIdentity(user: GithubUser, emails: GithubEmail[]): Identity {
  const { id, login, name, avatar_url } = user
  const primary = emails.find(({ primary }) => primary)
  const isHidden = primary?.email.toLowerCase().endsWith(hiddenAddressDomain)
  const address = readAddress(isHidden ? undefined : primary?.email, primary?.verified === true)
  return {
    provider: 'github',
    // Not the login, because a user can change it and another account can then take it.
    subject: String(id),
    ...address,
    // People can add any address to their account.
    email: address.emailVerified ? address.email : undefined,
    name: readName(name, login),
    givenName: '',
    familyName: '',
    avatarUrl: readAvatarUrl(avatar_url),
  }
}
