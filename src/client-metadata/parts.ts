import type { CentralSettings } from '../config/settings.ts'
import { createOutboundClient } from '../outbound/outbound-client.ts'
import { createOutboundHosts } from '../outbound/outbound-hosts.ts'
import type { RateLimiter } from '../rate-limit/rate-limiter.ts'
import { createExternalClients } from './external-clients.ts'
import type { ClientMetadataSettings } from './settings.ts'
import { createFetchWindows } from './windows.ts'

type Dependencies = {
  settings: ClientMetadataSettings & CentralSettings
  rateLimiter: RateLimiter
  now: () => Date
  warn: (text: string) => void
}

/** What clients that are known by their URL run. */
export const parts = {
  createServices({ settings, rateLimiter, now, warn }: Dependencies) {
    const { CLIENT_METADATA_ALLOWED_HOSTS: allowed, DEBUG: debug } = settings
    return {
      externalClients: createExternalClients({
        rules: settings.CLIENT_METADATA_HOSTS,
        send: createOutboundClient(createOutboundHosts({ allowed, debug })),
        windows: createFetchWindows(rateLimiter, !settings.RATE_LIMIT_ENABLED),
        now,
        warn,
      }),
    }
  },
  createHandlers: () => ({}),
}
