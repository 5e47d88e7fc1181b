import type { CentralSettings } from '../config/settings.ts'
import { createOutboundHosts, type OutboundHosts } from '../outbound/outbound-hosts.ts'
import type { IdentitySettings } from './settings.ts'

/** Creates the hosts that may receive logout tokens. */
export function createBackchannelHosts({
  BACKCHANNEL_ALLOWED_HOSTS: allowed,
  DEBUG: debug,
}: Pick<IdentitySettings & CentralSettings, 'BACKCHANNEL_ALLOWED_HOSTS' | 'DEBUG'>): OutboundHosts {
  return createOutboundHosts({ allowed, debug })
}
