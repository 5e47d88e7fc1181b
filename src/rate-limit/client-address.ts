import { isIPv4, isIPv6 } from 'node:net'

/**
 * Returns the key under which requests from an IP address are counted: an IPv4 address, also for an
 * IPv4-mapped IPv6 address, or the /64 network of an IPv6 address, which usually belongs to one
 * subscriber. Removes a port and a zone. Returns text that is not an IP address unchanged.
 */
export function clientAddress(ip: string): string {
  const [, bracketed, dotted] = /^(?:\[(.*)\](?::\d+)?|([\d.]+):\d+)$/.exec(ip) ?? []
  const address = (bracketed ?? dotted ?? ip).replace(/%.*$/s, '')
  if (isIPv4(address)) return address
  if (!isIPv6(address)) return ip

  const groups = parseIpv6(address)
  const [a, b, c, d, e, f, g = 0, h = 0] = groups
  if (f === 0xffff && [a, b, c, d, e].every((group) => group === 0)) {
    return [g >> 8, g & 255, h >> 8, h & 255].join('.')
  }
  const network = groups.slice(0, 4).map((group) => group.toString(16))
  return `${network.join(':').replace(/(^|:)0(:0)*$/, '')}::/64`
}

/** Returns the eight groups of a valid IPv6 address. */
function parseIpv6(address: string): number[] {
  const hex = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts) => {
    const [a, b, c, d] = parts.slice(0, 4).map(Number) as [number, number, number, number]
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
  })
  const [head = [], tail = []] = hex
    .split('::')
    .map((side) => (side === '' ? [] : side.split(':').map((group) => Number.parseInt(group, 16))))
  return [...head, ...Array(8 - head.length - tail.length).fill(0), ...tail]
}
