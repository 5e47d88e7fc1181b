import { ServiceError } from '../core/errors.ts'
import { loopbackHosts } from '../core/loopback.ts'
import { createBatcher } from '../database/batching.ts'
import type { StatementPool } from '../database/statement-pool.ts'
import { reasons } from './reasons.ts'
import { areClientOriginsSql, type ClientStore, type LoginClient } from './store/client-store.ts'

/**
 * Returns why a redirect URI cannot be registered, as a message that completes "<field> …", or
 * undefined if it can. `allowHttp` allows http for hosts other than loopback.
 */
export function findRedirectUriProblem(uri: string, allowHttp: boolean): string | undefined {
  if (uri.length > 2000 || !URL.canParse(uri)) return 'must be an absolute URL'
  const { protocol, hostname, username, password } = new URL(uri)
  if (protocol !== 'https:' && protocol !== 'http:') return 'must be an http or https URL'
  if (protocol === 'http:' && !allowHttp && !loopbackHosts.includes(hostname))
    return 'must be https, unless the host is loopback'
  if (hostname.includes('*')) return 'must not have a wildcard in its host'
  if (uri.includes('#')) return 'must not have a fragment'
  if (username || password || /^https?:\/\/[^/?]*@/i.test(uri)) return 'must not have a user name'
  if (/[\s\\\p{Cc}\p{Cs}]/u.test(uri))
    return 'must not have whitespace, backslashes or control characters'
  if (!/^https?:\/\/[^/]/i.test(uri)) return 'must be an absolute URL'
  return undefined
}

/**
 * Appends parameters to the query of a redirect URI, which stays as it was registered (RFC 6749,
 * section 3.1.2). A header can contain only ASCII, so other characters are encoded.
 */
export function appendToQuery(uri: string, parameters: Record<string, string>): string {
  const base = /^[!-~]+$/.test(uri) ? uri : new URL(uri).href
  const query = new URLSearchParams(parameters)
  if (query.size === 0) return base
  const separator = base.includes('?') ? (/[?&]$/.test(base) ? '' : '&') : '?'
  return `${base}${separator}${query}`
}

/**
 * Returns the registered redirect URIs that the URI of an authorization request matches: itself and,
 * because native apps listen on any free port, a URI of the same loopback address without a port (RFC
 * 8252, 7.3).
 */
export function listMatchingUris(uri: string): string[] {
  const loopback = /^http:\/\/(127\.0\.0\.1|\[::1\]):\d{1,5}(?=$|[/?])/
  return loopback.test(uri) && URL.canParse(uri) ? [uri, uri.replace(loopback, 'http://$1')] : [uri]
}

/**
 * Returns the client app of a sign-in that begins at `/auth/login`. Throws unless an active client app
 * has registered exactly this redirect URI.
 */
export async function requireLoginClient(clients: ClientStore, uri: string): Promise<LoginClient> {
  const client = await clients.findByRedirectUri(uri)
  if (client) return client
  throw new ServiceError(reasons.REDIRECT_URI_REFUSED)
}

/**
 * Returns a check whether an origin belongs to a redirect URI of an active client app.
 *
 * The check always reads the database, so that every node sees a change immediately. Concurrent
 * callers share a statement, which bounds the cost of a flood of unknown origins.
 */
export function createClientOrigins(statements: StatementPool) {
  return createBatcher(async (origins: string[]) => {
    const rows = await statements.rows<[boolean]>('client-origins', areClientOriginsSql, [origins])
    return rows.map(([isKnown]) => isKnown)
  })
}
