import { isIP } from 'node:net'

/** A host name, or a range of IP addresses. */
export type HostPattern = { name: string } | { address: string; prefix: number }

/** Parses a host name, an IP address or a CIDR range. Returns undefined for anything else. */
export function readHostPattern(text: string): HostPattern | undefined {
  const [, range = '', length = ''] = /^([\d.]+|[\da-f:.]+)\/(\d{1,3})$/i.exec(text) ?? []
  if (range !== '') {
    const bits = addressBits(range)
    const prefix = Number(length)
    return prefix <= bits ? { address: range, prefix } : undefined
  }
  const url = `https://${isIP(text) === 6 ? `[${text}]` : text}/`
  const hasOnlyHost = isIP(text) !== 0 || /^(\[[\da-f:.]+\]|[^\s:/?#@[\]\\*]+)$/i.test(text)
  if (!hasOnlyHost || !URL.canParse(url)) return undefined
  const host = hostOf(new URL(url))
  const bits = addressBits(host)
  return bits > 0 ? { address: host, prefix: bits } : { name: host }
}

/**
 * Returns the host of a URL without brackets and without a trailing dot. The URL parser has already
 * converted every spelling of an IPv4 address, such as 0x7f.1, to four decimal numbers.
 */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$|\.$/g, '')
}

function addressBits(host: string): 0 | 32 | 128 {
  const family = isIP(host)
  return family === 4 ? 32 : family === 6 ? 128 : 0
}
