import { isIPv4, isIPv6 } from 'node:net'

/**
 * The client that an IP address stands for, in one spelling: an IPv4 address (also one mapped into
 * IPv6) is itself, an IPv6 address its /64, which is what one subscriber holds. A port or zone is
 * left out; what is no address is its own client.
 */
export function clientAddress(ip: string): string {
  const [, bracketed, dotted] = /^(?:\[(.*)\](?::\d+)?|([\d.]+):\d+)$/.exec(ip) ?? []
  const address = (bracketed ?? dotted ?? ip).replace(/%.*$/s, '')
  if (isIPv4(address)) return address
  if (!isIPv6(address)) return ip

  const groups = groupsOf(address)
  const [a, b, c, d, e, f, g = 0, h = 0] = groups
  if (f === 0xffff && [a, b, c, d, e].every((group) => group === 0)) {
    return [g >> 8, g & 255, h >> 8, h & 255].join('.')
  }
  const network = groups.slice(0, 4).map((group) => group.toString(16))
  return `${network.join(':').replace(/(^|:)0(:0)*$/, '')}::/64`
}

/** The eight numbers of a valid IPv6 address. */
function groupsOf(address: string): number[] {
  const hex = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts) => {
    const [a, b, c, d] = parts.slice(0, 4).map(Number) as [number, number, number, number]
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
  })
  const [head = [], tail = []] = hex
    .split('::')
    .map((side) => (side === '' ? [] : side.split(':').map((group) => Number.parseInt(group, 16))))
  return [...head, ...Array(8 - head.length - tail.length).fill(0), ...tail]
}
