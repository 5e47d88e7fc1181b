import type { ActivityStore } from '../activity/store/activity-store.ts'
import type { RequestContext } from '../core/request-context.ts'
import type { SecretBox } from '../core/secret-box.ts'
import type { RolloutStore } from '../database/rollout-store.ts'
import type { BrowserSessionStore } from '../identity/store/browser-session-store.ts'
import type { CodeStore } from '../identity/store/code-store.ts'
import type { SessionStore } from '../identity/store/session-store.ts'
import type { GroupStore } from '../workspaces/store/group-store.ts'
import type { WorkspaceStore } from '../workspaces/store/workspace-store.ts'
import type { ConnectionProviders } from './connection-providers.ts'
import type { FindDomainProof } from './domain-proof.ts'
import type { ConnectionDomainStore } from './store/connection-domain-store.ts'
import type { ConnectionStore } from './store/connection-store.ts'
import type { ConnectionSubjectStore } from './store/connection-subject-store.ts'

/** The stores of the handlers that manage connections. */
export type ConnectionStores = {
  activity: ActivityStore
  browserSessions: BrowserSessionStore
  codes: CodeStore
  connectionDomains: ConnectionDomainStore
  connections: ConnectionStore
  connectionSubjects: ConnectionSubjectStore
  groups: GroupStore
  rollout: RolloutStore
  sessions: SessionStore
  workspaces: WorkspaceStore
}

/** The context of the handlers that send no requests to providers. */
export type ReadContext = RequestContext<ConnectionStores> & {
  /** The public address of the server. */
  baseUrl: string
}

export type ConnectionContext = ReadContext & {
  connectionProviders: ConnectionProviders
  findDomainProof: FindDomainProof
  secretBox: SecretBox
}
