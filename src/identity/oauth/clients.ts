import { isUuid } from '../../core/uuid.ts'
import { hashClientSecret } from '../client-secrets.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import type { ClientStore, PresentedClient } from '../store/client-store.ts'
import {
  type AssertionClient,
  assertionType,
  readAssertionIssuer,
  verifyAssertion,
} from './client-assertions.ts'
import { oauthError } from './oauth-errors.ts'

/** An active client app. */
export type OAuthClient = Pick<PresentedClient, 'id' | 'name' | 'type' | 'workspaceId'> & {
  /** The URL of a client that nobody registered, which is its ID for everyone else. */
  url?: string
}

/** The credentials that a client sends to an endpoint (RFC 6749, 2.3.1). */
export type ClientCredentials = {
  authorization?: string | undefined
  client_id?: string | undefined
  client_secret?: string | undefined
  client_assertion_type?: string | undefined
  client_assertion?: string | undefined
}

/** A client ID, if there is one, and a secret, which is empty if there is none. */
export type PresentedCredentials = { id: string | undefined; secret: string }

export type ClientContext = Pick<IdentityContext, 'now' | 'identity'> & {
  stores: { clients: ClientStore }
}

/**
 * Authenticates the client of a request: a confidential client by its secret, a public client by
 * its ID alone. Throws `invalid_client` if the authentication fails.
 */
export async function authenticateClient(
  clients: ClientStore,
  now: Date,
  credentials: ClientCredentials,
): Promise<OAuthClient> {
  const { id, secret } = readCredentials(credentials)
  if (!id) throw oauthError('invalid_client', 'client_id is required')
  const client = isUuid(id)
    ? await clients.findPresented(id, hashClientSecret(secret), now)
    : undefined
  const needsSecret = client?.type === 'confidential' || secret !== ''
  if (!client?.isActive || (needsSecret && !client.secretMatches)) {
    throw oauthError('invalid_client', 'The client is unknown or inactive, or its secret is wrong')
  }
  return client
}

/**
 * Authenticates the client of a request by its assertion (RFC 7523), if it has one, and otherwise like
 * `authenticateClient`.
 */
export async function authenticateClientWithAssertion(
  context: ClientContext,
  request: ClientCredentials,
): Promise<OAuthClient> {
  const { stores, now } = context
  if (request.client_assertion === undefined && request.client_assertion_type === undefined)
    return authenticateClient(stores.clients, now, request)
  return authenticateByAssertion(context, request, async (id) => {
    const client = isUuid(id) ? await stores.clients.findPresented(id, '', now) : undefined
    return client?.isActive && client.type === 'confidential' ? client : undefined
  })
}

/** Authenticates a client by its assertion. `find` returns the one that the assertion claims to be from. */
export async function authenticateByAssertion<Client extends AssertionClient>(
  { stores, now, identity }: ClientContext,
  request: ClientCredentials,
  find: (id: string) => Promise<Client | undefined>,
): Promise<Client> {
  const { client_assertion: assertion, client_assertion_type: type, client_id } = request
  if (request.authorization !== undefined || request.client_secret !== undefined)
    throw oauthError('invalid_request', 'The request authenticates the client in several ways')
  if (type !== assertionType)
    throw oauthError('invalid_request', `client_assertion_type must be ${assertionType}`)
  const id = readAssertionIssuer(assertion ?? '')
  if (client_id !== undefined && client_id !== id)
    throw oauthError('invalid_request', 'client_id does not match the client_assertion')
  const client = id ? await find(id) : undefined
  const options = { issuer: identity.settings.BASE_URL, now }
  const valid = client && (await verifyAssertion(assertion ?? '', client, options))
  if (client && valid && (await stores.clients.useAssertion(valid.hash, valid.expiresAt)))
    return client
  throw oauthError(
    'invalid_client',
    'The client is unknown or inactive, or its assertion is not valid or has been used',
  )
}

/** Reads the client ID and the secret, which is empty if there is none. */
export function readCredentials({
  authorization,
  client_id,
  client_secret = '',
}: ClientCredentials): PresentedCredentials {
  if (authorization === undefined || !/^basic /i.test(authorization)) {
    return { id: client_id, secret: client_secret }
  }
  const basic = readBasic(authorization)
  if (!basic) throw oauthError('invalid_client', 'The Authorization header is malformed')
  if (client_secret !== '') {
    throw oauthError('invalid_request', 'The request contains the client secret twice')
  }
  if (client_id !== undefined && client_id !== basic.id) {
    throw oauthError('invalid_request', 'client_id does not match the Authorization header')
  }
  return basic
}

/** Reads Basic credentials. Both parts are form-encoded (RFC 6749, 2.3.1). */
function readBasic(authorization: string): { id: string; secret: string } | undefined {
  const text = Buffer.from(authorization.slice('basic '.length).trim(), 'base64').toString()
  const separator = text.indexOf(':')
  if (separator === -1) return undefined
  try {
    const decode = (part: string) => decodeURIComponent(part.replaceAll('+', ' '))
    return { id: decode(text.slice(0, separator)), secret: decode(text.slice(separator + 1)) }
  } catch {
    return undefined
  }
}
