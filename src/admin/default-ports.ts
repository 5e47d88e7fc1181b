import type { ProvisionedUsers, SentEvents, UserPasskeys } from './ports.ts'

/** What administration finds on a server without directories, webhooks and passkeys. */
export const defaultAdminPorts = {
  provisionedUsers: (): ProvisionedUsers => ({ list: async () => [] }),
  sentEvents: (): SentEvents => ({ redact: async () => {} }),
  userPasskeys: (): UserPasskeys => ({ list: async () => [] }),
}
