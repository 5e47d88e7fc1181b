import type {
  ConnectionProviderSource,
  ExternalClients,
  ResourceServices,
  SessionScope,
  SignedIn,
  SignInConnections,
  SignInConsents,
  TokenDelegations,
  TokenResources,
  WorkspaceAccess,
} from './ports.ts'
import { readConnectionId } from './providers/connection.ts'
import { failure } from './sign-in-result.ts'
import type { EnforcementStore } from './store/enforcement-store.ts'
import { connectionRequired, connectionSession } from './user-errors.ts'
import { refuseWeakSessions } from './weak-sessions.ts'

const noConnections: SignInConnections = {
  existsAny: async () => false,
  findActive: async () => undefined,
  findIdByDomain: async () => undefined,
  hasVerifiedDomain: async () => false,
  join: async () => failure('access_denied', 'the server has no connections'),
}

/** Nobody can agree, so clients that require it have no access. */
const noConsents: SignInConsents = {
  filter: async () => [],
  ask: async () => ({ error: 'access_denied', description: 'The server asks for no consent' }),
  agree: async () => undefined,
  endExternal: async () => {},
  use: async () => {},
}

const noTokenResources: TokenResources = {
  find: async () => undefined,
  findByUri: async () => undefined,
}

/** Without delegations, all of them have ended. */
const noTokenDelegations: TokenDelegations = { findService: async () => undefined }

const beganElsewhere = ({ provider }: SignedIn) => readConnectionId(provider) === undefined

/**
 * Sessions that began through a connection may be used nowhere. Others may not be used in workspaces
 * that enforce a connection, which nobody can sign in through.
 */
function createScopeWithoutConnections(enforcements: EnforcementStore): SessionScope {
  const find = async (session: SignedIn, workspaceId: string): Promise<WorkspaceAccess> => {
    if (!beganElsewhere(session)) return { isAllowed: false }
    const enforced = await enforcements.find(workspaceId, session.userId)
    return enforced ? { isAllowed: false, requiredConnection: enforced.id } : { isAllowed: true }
  }
  return {
    filter: async (session, workspaces) => (beganElsewhere(session) ? workspaces : []),
    find,
    async require(session, workspaceId) {
      const access = await find(session, workspaceId)
      if (access.isAllowed) return
      throw access.requiredConnection ? connectionRequired() : connectionSession()
    },
  }
}

/** What identity finds on a server without connections, API resources and delegations. */
export const defaultIdentityPorts = {
  sessionScope: ({ enforcements }: { enforcements: EnforcementStore }) =>
    refuseWeakSessions(createScopeWithoutConnections(enforcements), enforcements),
  signInConnections: () => noConnections,
  signInConsents: () => noConsents,
  tokenDelegations: () => noTokenDelegations,
  tokenResources: () => noTokenResources,
}

/** Without API resources, no token is limited to one. */
export const noResourceServices: ResourceServices = { find: async () => undefined }

/** Without documents of clients, all of them are registered. */
export const noExternalClients: ExternalClients = {
  isEnabled: false,
  identify: () => undefined,
  describe() {
    throw new Error('The server has no external clients')
  },
}

/** Never asked, because no connection is found. */
export const noConnectionProviders: ConnectionProviderSource = {
  providerOf() {
    throw new Error('The server has no connections')
  },
}
