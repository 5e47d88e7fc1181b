import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecutionContext } from 'ava'
import { OAuth2Server } from 'oauth2-mock-server'
import type { LoginSecrets, Provider } from '../../../src/identity/providers/provider.ts'
import { keepConnections } from '../keep-connections.ts'
import { followRedirects } from './browser-flow.ts'
import { expectSuccess } from './expect-provider-error.ts'
import { redirectUri } from './mock-provider.ts'

/** Claims that override the claims of a valid ID token. `undefined` removes a claim. */
export type Claims = Record<string, unknown>

/** An OpenID Connect provider with configurable claims, discovery document and token responses. */
export type MockAuthority = {
  url: string
  server: Pick<OAuth2Server, 'issuer' | 'service'>
  claims: Claims
  /** Overrides properties of the discovery document. */
  document: Record<string, unknown>
  /** Overrides the status and body of the token response. */
  token: { status?: number; body?: Record<string, unknown> }
  /** What UserInfo returns beside the subject, and its status. */
  userInfo: { status?: number; body?: Record<string, unknown> }
  /** Replaces the key set. */
  keySet?: unknown
}

export const tenant = '11111111-2222-4333-8444-555555555555'
export const consumerTenant = '9188040d-6c67-4c5b-b112-36a304b66dad'
export const oid = '00000000-0000-4000-8000-00000000abcd'

/** Starts a mock authority that serves its discovery document below `path`. */
export async function startMockAuthority(
  t: Pick<ExecutionContext, 'teardown'>,
  path = '',
): Promise<MockAuthority> {
  const server = new OAuth2Server(undefined, undefined, {
    endpoints: { wellKnownDocument: `${path}/.well-known/openid-configuration` },
  })
  // Every authority uses the same key ID for its own key.
  await server.issuer.keys.generate('RS256', { kid: 'key' })
  const http = createServer(keepConnections, (request, response) => {
    if (request.url !== '/jwks' || mock.keySet === undefined)
      return server.service.requestHandler(request, response)
    return response.setHeader('content-type', 'application/json').end(JSON.stringify(mock.keySet))
  }).listen(0, '127.0.0.1')
  await once(http, 'listening')
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  server.issuer.url = url
  const mock: MockAuthority = { url, server, claims: {}, document: {}, token: {}, userInfo: {} }
  server.service.on('beforeTokenSigning', ({ payload }) => Object.assign(payload, mock.claims))
  server.service.on('beforeWellKnownOpenIdConfiguration', ({ body }) => {
    Object.assign(body, mock.document)
  })
  server.service.on('beforeResponse', (response) => {
    if (mock.token.status) response.statusCode = mock.token.status
    if (mock.token.body) response.body = mock.token.body
  })
  server.service.on('beforeUserinfo', (response) => {
    if (mock.userInfo.status) response.statusCode = mock.userInfo.status
    response.body = { sub: mock.claims.sub ?? 'johndoe', ...mock.userInfo.body }
  })
  t.teardown(() => {
    http.closeAllConnections()
    http.close()
  })
  return mock
}

/** Performs a complete sign-in. `alter` changes the secrets before the callback is completed. */
export async function signIn(
  provider: Provider,
  alter: (secrets: LoginSecrets) => LoginSecrets = (secrets) => secrets,
) {
  const { url, secrets } = expectSuccess(await provider.begin(redirectUri))
  const { callback } = await followRedirects(url, redirectUri, { hint: '' })
  return provider.complete(callback, redirectUri, alter(secrets))
}
