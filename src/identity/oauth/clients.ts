import type { EntityManager } from '@mikro-orm/postgresql'
import { isUuid } from '../../core/uuid.ts'
import { hashClientSecret } from '../client-secrets.ts'
import { type ClientRow, findClient } from './client-queries.ts'
import { oauthError } from './oauth-errors.ts'

/** An active client app. */
export type OAuthClient = Pick<ClientRow, 'id' | 'name' | 'type'>

/** The credentials that a client sends to an endpoint (RFC 6749, 2.3.1). */
export type ClientCredentials = {
  authorization?: string | undefined
  client_id?: string | undefined
  client_secret?: string | undefined
}

/**
 * Authenticates the client of a request: a confidential client by its secret, a public client by
 * its ID alone. Throws `invalid_client` if the authentication fails.
 */
export async function authenticateClient(
  em: EntityManager,
  now: Date,
  credentials: ClientCredentials,
): Promise<OAuthClient> {
  const { id, secret } = readCredentials(credentials)
  if (!id) throw oauthError('invalid_client', 'client_id is required')
  const client = isUuid(id)
    ? await findClient(em, { id, secretHash: hashClientSecret(secret), now })
    : undefined
  const needsSecret = client?.type === 'confidential' || secret !== ''
  if (!client?.isActive || (needsSecret && !client.secretMatches)) {
    throw oauthError('invalid_client', 'The client is unknown or inactive, or its secret is wrong')
  }
  return client
}

function readCredentials({ authorization, client_id, client_secret = '' }: ClientCredentials) {
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
