import { loopbackHosts } from '../../rpc/loopback.ts'

/** Whether it is http on this machine: the only place where providers do without TLS. */
export function isLoopbackHttp(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'http:' && loopbackHosts.includes(hostname)
}

/** Whether a provider may live there: https, or http on this machine. */
export function isProviderAddress(address: string): boolean {
  if (!URL.canParse(address)) return false
  return new URL(address).protocol === 'https:' || isLoopbackHttp(address)
}
