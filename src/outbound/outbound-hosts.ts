import { BlockList, isIP } from 'node:net'
import { type HostPattern, hostOf } from '../core/host-pattern.ts'

/** Decides which hosts the server may call on behalf of others, such as client apps. */
export type OutboundHosts = {
  /**
   * Returns why the server may not call a URL, as a message that completes "<field> …", or
   * undefined if it may. A host name is judged again by its addresses when a request is sent.
   */
  findProblem(url: URL): string | undefined
  /** Whether a request to the host may connect to the address. */
  allowsAddress(host: string, address: string): boolean
  /** Whether the operator has listed the host by its name, or it is this machine. */
  isListedName(host: string): boolean
}

/** Allows every host, for URLs that the operator has configured. */
export const everyHost: OutboundHosts = {
  findProblem: () => undefined,
  allowsAddress: () => true,
  isListedName: () => true,
}

type Subnet = [address: string, prefix: number]

/** The global unicast addresses of IPv6. Every other range is internal, mapped or multicast. */
const globalUnicast: Subnet = ['2000::', 3]

/** The ranges within the global addresses that are not public (IANA special-purpose registries). */
const internalRanges: Subnet[] = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier-grade NAT
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local, with the metadata services of clouds
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // IETF protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
  ['2001::', 23], // IETF protocol assignments, with Teredo
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4, which contains IPv4 addresses
  ['3fff::', 20], // documentation
]

const internal = createBlockList(internalRanges)
const global6 = createBlockList([globalUnicast])
const loopback = createBlockList([
  ['127.0.0.0', 8],
  ['::1', 128],
])

const internalMessage = 'must not be on a private, loopback, link-local or reserved address'

/**
 * `allowed` lists hosts that may be called although they are internal. `debug` also allows this
 * machine.
 */
export function createOutboundHosts({
  allowed,
  debug,
}: {
  allowed: HostPattern[]
  debug: boolean
}): OutboundHosts {
  const names = new Set(allowed.flatMap((pattern) => ('name' in pattern ? [pattern.name] : [])))
  const ranges = createBlockList(
    allowed.flatMap((pattern): Subnet[] =>
      'address' in pattern ? [[pattern.address, pattern.prefix]] : [],
    ),
  )

  const isListedName = (host: string) => names.has(host) || (debug && isLocalName(host))

  function allowsAddress(host: string, address: string): boolean {
    if (isPublic(address) || includes(ranges, address) || names.has(host)) return true
    return debug && isLoopback(host) && includes(loopback, address)
  }

  function allowsHost(host: string): boolean {
    if (isIP(host) !== 0) return allowsAddress(host, host)
    return !isLocalName(host) || isListedName(host)
  }

  return {
    isListedName,
    allowsAddress,
    findProblem(url) {
      const host = hostOf(url)
      if (!allowsHost(host)) return internalMessage
      if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(host))) {
        return undefined
      }
      return debug ? 'must be https, unless the host is loopback' : 'must be https'
    },
  }
}

function isLocalName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost')
}

function isLoopback(host: string): boolean {
  return isLocalName(host) || (isIP(host) !== 0 && includes(loopback, host))
}

function isPublic(address: string): boolean {
  if (isIP(address) === 6 && !includes(global6, address)) return false
  return isIP(address) !== 0 && !includes(internal, address)
}

function createBlockList(subnets: Subnet[]): BlockList {
  const list = new BlockList()
  for (const [address, prefix] of subnets) list.addSubnet(address, prefix, familyOf(address))
  return list
}

function includes(list: BlockList, address: string): boolean {
  return list.check(address, familyOf(address))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}
