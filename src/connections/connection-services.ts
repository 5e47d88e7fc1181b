import type { CentralSettings } from '../config/settings.ts'
import type { SecretBox } from '../core/secret-box.ts'
import { createOutboundClient } from '../outbound/outbound-client.ts'
import { createOutboundHosts } from '../outbound/outbound-hosts.ts'
import { type ConnectionProviders, createConnectionProviders } from './connection-providers.ts'
import { createFindDomainProof, type FindDomainProof } from './domain-proof.ts'
import type { ConnectionSettings } from './settings.ts'

/** What connections need from other servers. */
export type ConnectionServices = {
  connectionProviders: ConnectionProviders
  findDomainProof: FindDomainProof
}

/** `timeout` is how many milliseconds an identity provider has for one step of a sign-in. */
export function createConnectionServices(
  settings: ConnectionSettings & CentralSettings,
  secretBox: SecretBox,
  timeout: number | undefined,
): ConnectionServices {
  const { CONNECTION_ALLOWED_HOSTS: allowed, DNS_SERVERS: dnsServers, DEBUG: debug } = settings
  const hosts = createOutboundHosts({ allowed, debug })
  const client = createOutboundClient(hosts, dnsServers.length > 0 ? { dnsServers } : {})
  return {
    connectionProviders: createConnectionProviders(hosts, client, secretBox, timeout),
    findDomainProof: createFindDomainProof(dnsServers),
  }
}
