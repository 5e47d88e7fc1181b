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
  return findUriProblem(uri, ({ protocol, hostname }) => {
    if (protocol !== 'https:' && protocol !== 'http:') return 'must be an http or https URL'
    if (protocol === 'http:' && !allowHttp) return findHttpProblem(hostname)
    if (hostname.includes('*')) return 'must not have a wildcard in its host'
    return undefined
  })
}

/** Returns why the document of a client may not name a redirect URI, in the same way. */
export function findDocumentedUriProblem(uri: string): string | undefined {
  return findUriProblem(uri, ({ protocol, hostname }) => {
    if (protocol === 'https:') return undefined
    if (protocol === 'http:') return findHttpProblem(hostname)
    // A scheme of a domain that the program owns (RFC 8252, 7.1). Those of browsers have no dot.
    return protocol.includes('.') ? undefined : 'must have a scheme with a dot, or be https'
  })
}

/** Returns what is wrong with any redirect URI, or with the scheme and host of this one. */
function findUriProblem(
  uri: string,
  findOriginProblem: (url: URL) => string | undefined,
): string | undefined {
  if (uri.length > 2000 || !URL.canParse(uri)) return 'must be an absolute URL'
  const url = new URL(uri)
  const problem = findOriginProblem(url)
  if (problem) return problem
  if (uri.includes('#')) return 'must not have a fragment'
  if (url.username || url.password || /^[a-z][^:]*:\/\/[^/?]*@/i.test(uri))
    return 'must not have a user name'
  if (/[\s\\\p{Cc}\p{Cs}]/u.test(uri))
    return 'must not have whitespace, backslashes or control characters'
  // What a parser completes, such as `https:example.com`.
  if (/^https?:(?!\/\/[^/])/i.test(uri)) return 'must be an absolute URL'
  return undefined
}

function findHttpProblem(hostname: string): string | undefined {
  return loopbackHosts.includes(hostname) ? undefined : 'must be https, unless the host is loopback'
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
  const withoutPort = removeLoopbackPort(uri)
  // The name localhost may lead to another computer, so its port counts.
  return withoutPort && new URL(uri).hostname !== 'localhost' ? [uri, withoutPort] : [uri]
}

/**
 * Whether the redirect URI of a request is one of the document of a client. Those of a program on this
 * computer match whatever the port, also of the document, and all others match as text.
 */
export function isDocumentedUri(uri: string, documented: readonly string[]): boolean {
  const withoutPort = removeLoopbackPort(uri)
  return (
    documented.includes(uri) ||
    (withoutPort !== undefined && documented.some((one) => removeLoopbackPort(one) === withoutPort))
  )
}

const loopbackOrigin = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?(?=$|[/?])/

/** Returns a URI of this computer without its port, or undefined for any other. */
function removeLoopbackPort(uri: string): string | undefined {
  if (!loopbackOrigin.test(uri) || !URL.canParse(uri)) return undefined
  return uri.replace(loopbackOrigin, 'http://$1')
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
