import type { Daikon } from './api.ts'
import {
  type Field,
  InvalidTokenError,
  invalidArgument,
  PermissionDeniedError,
  UnauthenticatedError,
} from './errors.ts'
import { type RequestUser, readAgent } from './request-user.ts'
import { readIssuer } from './token-issuer.ts'

/** An API resource of the service app. */
export type ProtectedResource = {
  /** Its URI, as it is registered in daikon. */
  resource: string
  /** The scopes that every request needs. */
  scopes: readonly string[]
}

/** The headers of the metadata, which pages of other origins may read, too. */
export const metadataHeaders = {
  'content-type': 'application/json',
  'access-control-allow-origin': '*',
}

/** The token is missing or not valid for the API (RFC 9728, section 5.1). */
class ResourceTokenError extends UnauthenticatedError {
  readonly challenge: string

  constructor({ reason, message }: InvalidTokenError, challenge: string) {
    super(reason, message)
    this.challenge = challenge
  }
}

/** The token lacks a scope (RFC 6750, section 3.1). */
class InsufficientScopeError extends PermissionDeniedError {
  readonly challenge: string

  constructor(challenge: string) {
    super('INSUFFICIENT_SCOPE', 'The access token lacks a scope that is required')
    this.challenge = challenge
  }
}

/** The guard of an API, for all frameworks. */
export type ResourceGuard = {
  /** The path of the metadata, `/.well-known/oauth-protected-resource` with the path of the API. */
  metadataPath: string
  /** Returns the metadata (RFC 9728, section 2) as JSON. */
  readMetadata(): Promise<string>
  /** Verifies the token of a request, and its scopes. */
  authenticate(authorization: string | undefined): Promise<RequestUser>
}

/**
 * Creates the guard of an API. All addresses come from `resource`, because a client chooses the Host of its
 * requests.
 *
 * @throws InvalidArgumentError
 */
export function createResourceGuard(
  daikon: Pick<Daikon, 'verifyAccessToken'>,
  { resource, scopes }: ProtectedResource,
  delegated = false,
): ResourceGuard {
  const fields: Field[] = []
  if (!isHttpUri(resource)) {
    const message = 'must be an http or https URI without a query or fragment'
    fields.push({ field: 'resource', message })
  }
  if (!Array.isArray(scopes) || !scopes.every(isScope))
    fields.push({ field: 'scopes', message: 'must be a list of scopes' })
  if (fields.length > 0) throw invalidArgument(...fields)
  const { origin, pathname } = new URL(resource)
  const metadataPath = `/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`
  const parameters = {
    metadata: `resource_metadata="${origin}${metadataPath}"`,
    scope: scopes.length > 0 ? [`scope="${scopes.join(' ')}"`] : [],
  }
  const challenge = (...more: string[]) =>
    `Bearer ${[parameters.metadata, ...parameters.scope, ...more].join(', ')}`
  return {
    metadataPath,

    async readMetadata() {
      return JSON.stringify({
        resource,
        authorization_servers: [await readIssuer(daikon)],
        scopes_supported: scopes,
        bearer_methods_supported: ['header'],
      })
    },

    async authenticate(authorization = '') {
      const [, token] = /^Bearer +(\S+)$/i.exec(authorization) ?? []
      if (!token) {
        const message = 'The header "Authorization: Bearer <access token>" is missing'
        throw new ResourceTokenError(new InvalidTokenError('TOKEN_MISSING', message), challenge())
      }
      const claims = await daikon
        .verifyAccessToken(token, { audience: resource, delegated })
        .catch((error) => {
          if (!(error instanceof InvalidTokenError)) throw error
          throw new ResourceTokenError(error, challenge('error="invalid_token"'))
        })
      const granted = (claims.scope ?? '').split(' ')
      if (!scopes.every((scope) => granted.includes(scope))) {
        const { metadata, scope } = parameters
        const parts = ['error="insufficient_scope"', ...scope, metadata]
        throw new InsufficientScopeError(`Bearer ${parts.join(', ')}`)
      }
      return {
        token,
        claims,
        clientId: claims.client_id,
        scopes: granted,
        agent: readAgent(claims),
      }
    },
  }
}

/** Other URIs have no origin at which the metadata could be. */
function isHttpUri(resource: unknown): boolean {
  return (
    typeof resource === 'string' && /^https?:\/\/[^?#]+$/i.test(resource) && URL.canParse(resource)
  )
}

const isScope = (scope: unknown) => typeof scope === 'string' && /^[!#-[\]-~]+$/.test(scope)
