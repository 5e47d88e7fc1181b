import { invalidArgument } from '../core/errors.ts'
import type {
  ProvisionedUsers,
  SentEvents,
  ServiceAppResources,
  UserDelegations,
  UserGrants,
  UserPasskeys,
} from './ports.ts'

/**
 * What administration finds on a server without directories, webhooks, passkeys, consents, delegations
 * and API resources.
 */
export const defaultAdminPorts = {
  provisionedUsers: (): ProvisionedUsers => ({ list: async () => [] }),
  sentEvents: (): SentEvents => ({ redact: async () => {} }),
  userDelegations: (): UserDelegations => ({ list: async () => [], end: async () => {} }),
  userGrants: (): UserGrants => ({ list: async () => [] }),
  userPasskeys: (): UserPasskeys => ({ list: async () => [] }),
  serviceAppResources: (): ServiceAppResources => ({
    list: async () => () => [],
    async replace(_context, _app, resources) {
      const message = 'is not supported by this server'
      if (resources.length > 0) throw invalidArgument({ field: 'api_resources', message })
    },
  }),
}
