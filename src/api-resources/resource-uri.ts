import { loopbackHosts } from '../core/loopback.ts'

/**
 * Returns the one spelling of a URI that is stored: an origin has no slash, which some clients add. All
 * else compares as text.
 */
export function toCanonicalUri(uri: string): string {
  return uri.replace(/^(https?:\/\/[^/]+)\/$/i, '$1')
}

/**
 * Returns why a URI cannot identify an API, as a message that completes "<field> …", or undefined if it
 * can. `allowHttp` allows http for loopback hosts.
 */
export function findUriProblem(uri: string, allowHttp: boolean): string | undefined {
  if (!URL.canParse(uri)) return 'must be an absolute https URI'
  const { protocol, hostname, username, password } = new URL(uri)
  const isLoopbackHttp = protocol === 'http:' && loopbackHosts.includes(hostname)
  if (protocol !== 'https:' && !(isLoopbackHttp && allowHttp))
    return 'must be an absolute https URI'
  if (/[?#]/.test(uri)) return 'must not have a query or a fragment'
  if (username || password || /^https?:\/\/[^/]*@/i.test(uri)) return 'must not have a user name'
  if (/[\s\\\p{Cc}\p{Cs}]/u.test(uri))
    return 'must not have whitespace, backslashes or control characters'
  if (!/^https?:\/\/[^/]/i.test(uri)) return 'must be an absolute https URI'
  return undefined
}
