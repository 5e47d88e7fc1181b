import type { Actor } from '../activity/actor.ts'

/** What workspaces must know of the features above, as `IdentityPorts`. */
export type WorkspacePorts = {
  workspaceDelegations: WorkspaceDelegations
}

/** What members let agents do. */
export type WorkspaceDelegations = {
  /** Ends the delegations in a workspace. Requires a transaction. */
  end(actor: Actor, workspaceId: string): Promise<void>
}
