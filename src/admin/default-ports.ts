import type { ProvisionedUsers, SentEvents } from './ports.ts'

/** What administration finds on a server without directories and webhooks. */
export const defaultAdminPorts = {
  provisionedUsers: (): ProvisionedUsers => ({ list: async () => [] }),
  sentEvents: (): SentEvents => ({ redact: async () => {} }),
}
