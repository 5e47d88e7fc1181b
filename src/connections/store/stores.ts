import { ConnectionDomainStore } from './connection-domain-store.ts'
import { ConnectionStore } from './connection-store.ts'
import { ConnectionSubjectStore } from './connection-subject-store.ts'

/** The stores of the feature, by the name under which handlers use them. */
export const connectionStores = {
  connectionDomains: ConnectionDomainStore,
  connections: ConnectionStore,
  connectionSubjects: ConnectionSubjectStore,
}
