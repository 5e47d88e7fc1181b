import type { ExportedScimUser } from '../../gen/daikon/v1/admin_user_data.ts'
import type { PasskeyResponse } from '../../gen/daikon/v1/users.ts'

/** What administration must know of the features above, as `IdentityPorts`. */
export type AdminPorts = {
  provisionedUsers: ProvisionedUsers
  sentEvents: SentEvents
  userPasskeys: UserPasskeys
}

/** The passkeys of users. */
export type UserPasskeys = {
  /** Returns the passkeys of a user, oldest first. */
  list(userId: string): Promise<PasskeyResponse[]>
}

/** What directories have said about people. */
export type ProvisionedUsers = {
  /** Returns what the directories of all workspaces have said about a user, by workspace. */
  list(userId: string): Promise<ExportedScimUser[]>
}

/** The events that are or were sent to URLs. */
export type SentEvents = {
  /** Removes what matches a pattern from them. Requires a transaction. */
  redact(pattern: string): Promise<void>
}
