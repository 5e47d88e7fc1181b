import type { MemberId } from '../workspaces/store/member-store.ts'

/** What connections must know of the features above, as `IdentityPorts`. */
export type ConnectionPorts = {
  directory: Directory
}

/** What the directories of workspaces report about people. */
export type Directory = {
  /** Returns what the directory calls a person today; undefined if it does not provision them. */
  findName(member: MemberId): Promise<string | undefined>
  /** Returns up to two people to whom the directory gave one of these IDs. */
  findByExternalIds(workspaceId: string, externalIds: string[]): Promise<ProvisionedPerson[]>
  /** Returns the ID of the person whom the directory calls by an address today. */
  findIdByName(workspaceId: string, email: string): Promise<string | undefined>
  /**
   * Returns the user who has an address in a workspace, and creates the user if there is none. Returns
   * undefined if the address may have passed from that user to another person. The workspace must be
   * locked.
   */
  ensureUser(workspaceId: string, email: string): Promise<string | undefined>
  /** Whether the directory has deactivated or deleted a person, who must not join then. */
  isBlocked(member: MemberId): Promise<boolean>
}

/** A person, and what the directory calls them today. */
export type ProvisionedPerson = { userId: string; userName: string }
