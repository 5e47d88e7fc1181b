import type { SignInConnections } from '../identity/ports.ts'
import { type JoinStores, joinByConnection } from './join.ts'
import { createSessionScope } from './session-scope.ts'

/** What connections tell the features below. */
export const connectionPorts = {
  sessionScope: createSessionScope,
  signInConnections: (tx: JoinStores): SignInConnections => ({
    existsAny: () => tx.connections.existsAny(),
    findActive: (id) => tx.connections.findActive(id),
    async findIdByDomain(domain) {
      return (await tx.connectionDomains.findConnectionOf(domain))?.id
    },
    async hasVerifiedDomain(id) {
      const domains = await tx.connectionDomains.list([id])
      return domains.some(({ verifiedAt }) => verifiedAt !== null)
    },
    join: (context, connectionId, identity) =>
      joinByConnection(tx, context, connectionId, identity),
  }),
}
