import { ServiceError } from '../core/errors.ts'
import { loopbackHosts } from '../core/loopback.ts'
import type { RequestContext } from '../core/request-context.ts'
import { createBatcher } from '../database/batching.ts'
import type { StatementPool } from '../database/statement-pool.ts'
import { areClientOrigins, isRegisteredRedirectUri } from './queries.ts'

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
  if (uri.includes('#')) return 'must not have a fragment'
  if (username || password || /^https?:\/\/[^/?]*@/i.test(uri)) return 'must not have a user name'
  if (/[\s\\\p{Cc}\p{Cs}]/u.test(uri))
    return 'must not have whitespace, backslashes or control characters'
  if (!/^https?:\/\/[^/]/i.test(uri)) return 'must be an absolute URL'
  return undefined
}

/** Throws unless an active client app has registered exactly this redirect URI. */
export async function requireRedirectUri({ em }: RequestContext, uri: string): Promise<void> {
  // PostgreSQL rejects text with a NUL.
  if (!uri.includes('\0') && (await isRegisteredRedirectUri(em, uri))) return
  throw new ServiceError(
    'failed_precondition',
    'REDIRECT_URI_REFUSED',
    'The redirect_uri is not registered',
  )
}

/**
 * Creates a function that returns whether an origin belongs to a redirect URI of an active client
 * app.
 *
 * It always reads the database, so that every node sees a change immediately. Concurrent callers
 * share a statement, which bounds the cost of a flood of unknown origins.
 */
export function createClientOrigins(statements: StatementPool) {
  return createBatcher(async (origins: string[]) => {
    const rows = await statements.rows<[boolean]>('client-origins', areClientOrigins, [origins])
    return rows.map(([isKnown]) => isKnown)
  })
}
