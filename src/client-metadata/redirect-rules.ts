import { isLoopbackHttp } from '../core/loopback.ts'

const maxLength = 2000

/**
 * Returns why a client may not name a redirect URI in its document, as a message that completes "<field> …", or
 * undefined if it may.
 */
export function findRedirectProblem(uri: string): string | undefined {
  if (uri.length > maxLength || !URL.canParse(uri)) return 'must be an absolute URI'
  const { protocol, username, password } = new URL(uri)
  if (/[\s\\\p{Cc}\p{Cs}#]/u.test(uri))
    return 'must not have a fragment, whitespace, backslashes or control characters'
  if (username || password || /^[a-z][^:]*:\/\/[^/?]*@/i.test(uri))
    return 'must not have a user name'
  if (protocol !== 'https:' && protocol !== 'http:')
    // A scheme of a domain that the program owns (RFC 8252, 7.1). Those of browsers have no dot.
    return protocol.includes('.') ? undefined : 'must have a scheme with a dot, or be https'
  if (!/^https?:\/\/[^/]/i.test(uri)) return 'must be an absolute URI'
  if (protocol === 'http:' && !isLoopbackHttp(uri))
    return 'must be https, unless the host is loopback'
  return undefined
}

/**
 * Whether the redirect URI of a request is one of a document. Those of a program on this computer match
 * whatever the port (RFC 8252, 7.3), and all others match as text.
 */
export function isListedRedirect(uri: string, listed: readonly string[]): boolean {
  return listed.includes(uri) || listed.some((one) => isSameLoopback(uri, one))
}

const loopback = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?(?=$|[/?])/

function isSameLoopback(uri: string, listed: string): boolean {
  if (!loopback.test(uri) || !loopback.test(listed) || !URL.canParse(uri)) return false
  const withoutPort = (text: string) => text.replace(loopback, 'http://$1')
  return withoutPort(uri) === withoutPort(listed)
}
