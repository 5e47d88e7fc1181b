import type { ConnectionProviderSource, SessionReach, SignInConnections } from './ports.ts'
import { readConnectionId } from './providers/connection.ts'
import { failure } from './sign-in-result.ts'
import { connectionSession } from './user-errors.ts'

const noConnections: SignInConnections = {
  existsAny: async () => false,
  findActive: async () => undefined,
  findIdByDomain: async () => undefined,
  hasVerifiedDomain: async () => false,
  join: async () => failure('access_denied', 'the server has no connections'),
}

const isReachableBy = ({ provider }: { provider: string }) =>
  readConnectionId(provider) === undefined

/** Sessions that began by a connection reach nothing. */
const reachWithoutConnections: SessionReach = {
  filter: async (session, workspaces) => (isReachableBy(session) ? workspaces : []),
  find: async (session) => ({ isReachable: isReachableBy(session) }),
  async require(session) {
    if (!isReachableBy(session)) throw connectionSession()
  },
}

/** What identity finds on a server without connections. */
export const defaultIdentityPorts = {
  sessionReach: () => reachWithoutConnections,
  signInConnections: () => noConnections,
}

/** Never asked, because no connection is found. */
export const noConnectionProviders: ConnectionProviderSource = {
  providerOf() {
    throw new Error('The server has no connections')
  },
}
