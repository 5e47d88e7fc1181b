import * as oauth from 'oauth4webapi'
import type { ProviderSettings } from '../../config/provider-settings.ts'
import { isLoopbackHttp } from '../../core/loopback.ts'
import { beginGrant, checkLogin, clientOf, exchangeCode } from './code-grant.ts'
import { readJson, type Step, startStep } from './outbound.ts'
import { readAvatarUrl, readEmail, readName } from './profile.ts'
import type { Identity, Provider } from './provider.ts'
import { ProviderError, protect } from './provider-error.ts'

const hiddenAddress = '@users.noreply.github.com'

/** GitHub: no ID token, so the identity is what its API says to the access token. */
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
  const insecure = isLoopbackHttp(url)

  async function ask(path: string, token: string, step: Step) {
    const address = new URL(`${api}${path}`)
    const headers = new Headers({ accept: 'application/vnd.github+json' })
    const { protectedResourceRequest } = oauth
    const answer = await protectedResourceRequest(token, 'GET', address, headers, null, step)
    if (answer.status === 200) return readJson(answer)
    throw new ProviderError('provider_error', `${path}: status ${answer.status}`)
  }

  return {
    name: 'github',
    begin: (redirectUri) => protect(() => beginGrant(grant, server, redirectUri)),

    complete: (callback, redirectUri, secrets) =>
      protect(async () => {
        checkLogin(grant, callback, secrets)
        const step = startStep(timeout, insecure)
        const response = await exchangeCode(grant, server, callback, redirectUri, secrets, step)
        await refuseError(response.clone())
        const client = clientOf(grant)
        const answer = await oauth.processAuthorizationCodeResponse(server, client, response)
        checkScope(answer.scope ?? '')
        const token = answer.access_token
        const [user, emails] = await Promise.all([
          ask('/user', token, step),
          ask('/user/emails', token, step),
        ])
        return readIdentity(user, emails)
      }),
  }
}

/** GitHub's errors come with status 200, where RFC 6749 has 400. */
async function refuseError(response: Response): Promise<void> {
  const { error, error_description } = await readJson(response)
  if (error !== undefined) {
    throw new ProviderError('provider_error', `${error}: ${error_description}`)
  }
}

/** People may grant less than was asked; `user` contains `user:email`. */
function checkScope(scope: string): void {
  const granted = scope.split(/[\s,]+/)
  if (!granted.includes('user:email') && !granted.includes('user')) {
    throw new ProviderError('email_scope_missing', `granted: ${scope}`)
  }
}

function readIdentity(user: Record<string, unknown>, emails: unknown): Identity {
  const { id, login, name, avatar_url } = user
  if (!Number.isSafeInteger(id) || (id as number) <= 0) {
    throw new ProviderError('invalid_response', '/user has no id')
  }
  if (!Array.isArray(emails)) throw new ProviderError('invalid_response', '/user/emails is no list')
  const primary = emails.find((entry) => entry?.primary === true && entry.verified === true)
  const email = readEmail(primary?.email)
  const usable = email?.endsWith(hiddenAddress) ? undefined : email
  return {
    provider: 'github',
    // The login can be renamed and then taken by somebody else.
    subject: String(id),
    email: usable,
    emailVerified: usable !== undefined,
    name: readName(name, login),
    avatarUrl: readAvatarUrl(avatar_url),
  }
}
