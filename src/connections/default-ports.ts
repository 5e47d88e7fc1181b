import type { UserStore } from '../identity/store/user-store.ts'
import type { Directory } from './ports.ts'

/** What connections find on a server without directories. */
export const defaultConnectionPorts = {
  directory: ({ users }: { users: UserStore }): Directory => ({
    findName: async () => undefined,
    findByExternalIds: async () => [],
    findIdByName: async () => undefined,
    ensureUser: (_workspaceId, email) => users.ensure(email),
    isBlocked: async () => false,
  }),
}
