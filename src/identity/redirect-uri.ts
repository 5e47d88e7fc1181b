import { loopbackHosts } from '../core/loopback.ts'

/** What is wrong with a redirect URI that is to be registered; undefined if nothing. */
export function redirectUriMistake(text: string, anyHttp: boolean): string | undefined {
  if (text.length > 2000 || !URL.canParse(text)) return 'must be an absolute URL'
  const { protocol, hostname, username, password } = new URL(text)
  if (protocol !== 'https:' && protocol !== 'http:') return 'must be an http or https URL'
  if (protocol === 'http:' && !anyHttp && !loopbackHosts.includes(hostname))
    return 'must be https, unless the host is loopback'
  if (text.includes('#')) return 'must have no fragment'
  if (username || password || /^https?:\/\/[^/?]*@/i.test(text)) return 'must have no user in it'
  if (/[\s\\\p{Cc}\p{Cs}]/u.test(text))
    return 'must have no blanks, backslashes or control characters'
  if (!/^https?:\/\/[^/]/i.test(text)) return 'must be an absolute URL'
  return undefined
}
