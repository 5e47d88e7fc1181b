import { isIP } from 'node:net'

/**
 * Returns whether browsers treat two URLs as the same site: the same scheme and registrable domain.
 * Without the list of public suffixes, this is an approximation: the last two labels of the host, or
 * three below a suffix such as co.uk.
 */
export function isSameSite(first: string, second: string): boolean {
  return siteOf(first) === siteOf(second)
}

function siteOf(text: string): string {
  const { protocol, hostname } = new URL(text)
  // The URL parser writes IPv6 addresses in brackets.
  if (isIP(hostname) || hostname.startsWith('[')) return `${protocol}${hostname}`
  const labels = hostname.split('.')
  const [suffix = '', country = ''] = labels.slice(-2)
  const count = country.length === 2 && suffix.length <= 3 ? 3 : 2
  return `${protocol}${labels.slice(-count).join('.')}`
}
