import type { WorkspaceDelegations } from './ports.ts'

/** What workspaces find on a server without delegations. */
export const defaultWorkspacePorts = {
  workspaceDelegations: (): WorkspaceDelegations => ({ end: async () => {} }),
}
