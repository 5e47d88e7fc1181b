import { BlockList, isIP, isIPv6 } from 'node:net'
import { type CelFunc, CelScalar, celFunc } from '@bufbuild/cel'

/** `in_cidr('10.1.2.3', '10.0.0.0/8')`. An IPv6 address that maps an IPv4 address counts as that. */
export const inCidr: CelFunc = celFunc(
  'in_cidr',
  [CelScalar.STRING, CelScalar.STRING],
  CelScalar.BOOL,
  isInRange,
)

function isInRange(address: string, range: string): boolean {
  if (isIP(address) === 0) throw new Error('in_cidr: the address is not an IP address')
  const [network, prefix, ...rest] = range.split('/')
  const bits = network !== undefined && isIPv6(network) ? 128 : 32
  const isRange =
    isIP(network ?? '') !== 0 && /^\d{1,3}$/.test(prefix ?? '') && Number(prefix) <= bits
  if (!isRange || rest.length > 0 || !network)
    throw new Error('in_cidr: the range is not an address, a slash and the length of a prefix')
  const list = new BlockList()
  list.addSubnet(network, Number(prefix), bits === 128 ? 'ipv6' : 'ipv4')
  return list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}
