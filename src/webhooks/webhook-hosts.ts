import type { CentralSettings } from '../config/settings.ts'
import { createOutboundHosts, type OutboundHosts } from '../outbound/outbound-hosts.ts'
import type { WebhookSettings } from './settings.ts'

/** Creates the hosts that may receive webhooks. */
export function createWebhookHosts({
  WEBHOOK_ALLOWED_HOSTS: allowed,
  DEBUG: debug,
}: WebhookSettings & CentralSettings): OutboundHosts {
  return createOutboundHosts({ allowed, debug })
}
