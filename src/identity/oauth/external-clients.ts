import type { OAuthTokenRequest } from '../../../gen/daikon/v1/oauth.ts'
import { ServiceError } from '../../core/errors.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import type { ExternalDescription, ExternalId } from '../ports.ts'
import { reasons } from '../reasons.ts'
import type { RedirectingClient } from '../store/client-store.ts'
import { readAssertionIssuer } from './client-assertions.ts'
import {
  authenticateByAssertion,
  type ClientCredentials,
  type OAuthClient,
  readCredentials,
} from './clients.ts'
import { isOAuthError, oauthError } from './oauth-errors.ts'

/** The person for whom the document of a client is fetched. */
type Requester = { userId: string }

/** Returns the name of a client that pages show: of one that nobody registered, the host alone. */
export function titleOfClient({ name, external }: Pick<RedirectingClient, 'name' | 'external'>) {
  return external?.host ?? name
}

/**
 * Returns the client of an authorization request that nobody registered. Until a person has signed in, its
 * document is not fetched, and so it is not known whether the redirect URI is one of its own.
 *
 * @throws ServiceError if the document is not valid, or lacks the redirect URI
 */
export async function findExternalClient(
  context: IdentityContext,
  external: ExternalId,
  redirectUri: string,
  requester: Requester | undefined,
): Promise<RedirectingClient> {
  const { id, url, host } = external
  const rules = { pkceRequired: true, workspaceId: null, popupSignIn: false, consentRequired: true }
  if (!requester) {
    const unknown = { url, host, metadataHash: '', isAuthenticated: false }
    return { id, name: '', ...rules, isRegistered: false, external: unknown }
  }
  const described = await describe(context, external, requester)
  const { name, metadataHash, loadKeys } = described
  if (!described.allowsRedirect(redirectUri)) {
    const detail = `The redirect_uri is missing, repeated or not one of the document ${url}`
    throw new ServiceError(reasons.REDIRECT_URI_REFUSED, detail)
  }
  const isAuthenticated = loadKeys !== undefined
  const known = { url, host, metadataHash, isAuthenticated }
  return { id, name, ...rules, isRegistered: true, external: known }
}

/** Returns the client that presents credentials, if it is one that nobody registered. */
export function identifyExternalClient(
  { identity }: Pick<IdentityContext, 'identity'>,
  request: ClientCredentials,
): ExternalId | undefined {
  const { client_assertion: assertion } = request
  const id = readCredentials(request).id ?? (assertion && readAssertionIssuer(assertion))
  try {
    return id ? identity.externalClients.identify(id) : undefined
  } catch (error) {
    throw toClientError(error)
  }
}

/**
 * Authenticates a client that nobody registered by what its document says: by its private key, or by its ID
 * alone. Call it only for a live code or session of the client, since it may fetch the document.
 */
export async function authenticateExternalClient(
  context: IdentityContext,
  external: ExternalId,
  request: ClientCredentials,
  requester: Requester,
): Promise<OAuthClient> {
  const { id, url } = external
  const client = { id, url, workspaceId: null }
  try {
    const { name, loadKeys } = await describe(context, external, requester)
    if (loadKeys) {
      if (request.client_assertion === undefined)
        throw oauthError('invalid_client', 'The client must authenticate by a client_assertion')
      const presented = { id: url, jwks: await loadKeys() }
      await authenticateByAssertion(context, request, async (issuer) =>
        issuer === url ? presented : undefined,
      )
      return { ...client, name, type: 'confidential' }
    }
    if (hasCredentials(request))
      throw oauthError('invalid_client', 'The client has no way to authenticate in its document')
    return { ...client, name, type: 'public' }
  } catch (error) {
    throw toClientError(error)
  }
}

/** Whether a request proves more than that it knows the ID. */
function hasCredentials(request: ClientCredentials): boolean {
  return readCredentials(request).secret !== '' || request.client_assertion !== undefined
}

/**
 * Returns the user of the live code or session of a client that a token request is for.
 *
 * @throws ServiceError `invalid_grant` if there is none, so that nothing is fetched for it
 */
export async function requireGrantOwner(
  context: IdentityContext,
  { id }: ExternalId,
  request: Pick<OAuthTokenRequest, 'grant_type' | 'code' | 'refresh_token'>,
): Promise<Requester> {
  const isCode = request.grant_type === 'authorization_code'
  const userId = isCode
    ? await findCodeOwner(context, id, request.code ?? '')
    : await findSessionOwner(context, id, request.refresh_token ?? '')
  if (userId !== undefined) return { userId }
  const kind = isCode ? 'code' : 'refresh token'
  throw oauthError('invalid_grant', `The ${kind} is not valid, or was issued to another client`)
}

/** A used code counts while the session lives that it was exchanged for, which its replay ends. */
async function findCodeOwner(
  { stores, now }: IdentityContext,
  clientId: string,
  text: string,
): Promise<string | undefined> {
  const code = await stores.codes.find(text, now)
  if (code?.clientId !== clientId) return undefined
  if (!code.isConsumed) return code.userId
  const sessionId = await stores.codes.findSessionId(code.hash)
  const isLive = sessionId && (await stores.sessions.exists(sessionId, code.userId))
  return isLive ? code.userId : undefined
}

async function findSessionOwner(
  context: IdentityContext,
  clientId: string,
  text: string,
): Promise<string | undefined> {
  const token = await context.identity.tokens.verify('refresh', text).catch(ignoreInvalid)
  const session = token && (await context.stores.sessions.findByRefreshToken(token.jti))
  return session?.clientId === clientId ? token?.sub : undefined
}

function ignoreInvalid(error: unknown): undefined {
  if (!(error instanceof ServiceError)) throw error
}

async function describe(
  { identity, stores }: IdentityContext,
  external: ExternalId,
  { userId }: Requester,
): Promise<ExternalDescription> {
  const isKnown = await stores.clients.hasExternal(external.id)
  return identity.externalClients.describe(external, { userId, isKnown })
}

/** Converts an error about the document of a client to `invalid_client`. Returns other errors unchanged. */
function toClientError(error: unknown): unknown {
  if (!(error instanceof ServiceError) || isOAuthError(error)) return error
  return error.code === 'failed_precondition' ? oauthError('invalid_client', error.message) : error
}
