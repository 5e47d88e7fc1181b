import type { SignInConnections } from '../identity/ports.ts'
import { type JoinStores, joinByConnection } from './join.ts'

/** What connections tell the features below. */
export const connectionPorts = {
  signInConnections: (tx: JoinStores): SignInConnections => ({
    join: (context, connectionId, identity) =>
      joinByConnection(tx, context, connectionId, identity),
  }),
}
