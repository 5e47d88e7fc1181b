import type { CentralSettings } from '../config/settings.ts'
import type { Transactional } from '../core/request-context.ts'
import type { SecretBox } from '../core/secret-box.ts'
import { createOutboundClient } from '../outbound/outbound-client.ts'
import { createOutboundHosts } from '../outbound/outbound-hosts.ts'
import type { ConnectionStores } from './connection-context.ts'
import { createConnectionProviders } from './connection-providers.ts'
import { createFindDomainProof } from './domain-proof.ts'
import { checkDomains } from './domain-verification.ts'
import type { ConnectionSettings } from './settings.ts'

export type ConnectionServiceDependencies = {
  openStores: () => Transactional<ConnectionStores>
  settings: ConnectionSettings & CentralSettings
  secretBox: SecretBox
  now: () => Date
  warn: (text: string) => void
  /** How many milliseconds an identity provider has for one step of a sign-in. */
  connectionTimeout: number | undefined
}

/** Creates the clients of identity providers and the DNS. */
export function createConnectionServices(dependencies: ConnectionServiceDependencies) {
  const { openStores, settings, secretBox, now, warn, connectionTimeout } = dependencies
  const { CONNECTION_ALLOWED_HOSTS: allowed, DNS_SERVERS: dnsServers, DEBUG: debug } = settings
  const hosts = createOutboundHosts({ allowed, debug })
  const client = createOutboundClient(hosts, dnsServers.length > 0 ? { dnsServers } : {})
  const findDomainProof = createFindDomainProof(dnsServers)
  return {
    connectionProviders: createConnectionProviders(hosts, client, secretBox, connectionTimeout),
    findDomainProof,
    /** Checks the verified domains that are due. Returns their number. */
    checkDomains: () => checkDomains(openStores(), findDomainProof, now(), warn),
  }
}
