import { isWorkspaceConsole } from '../console-kind.ts'
import { hasFeature } from '../settings.ts'
import type { Workspace } from '../workspaces/workspace-queries.ts'
import { useWorkspaceSearch } from '../workspaces/workspace-search.ts'
import { ConnectionDetail } from './connection-detail.tsx'
import { Connections } from './connections.tsx'
import { Directory } from './directory.tsx'

/**
 * The tab about the sign-in of a workspace, in both consoles, if the server has connections. Only owners
 * have the routes for it.
 */
export function signInTabs(workspace: Workspace) {
  if (!hasFeature('connections')) return []
  const content = <SignIn workspaceId={workspace.id} />
  return [{ value: 'sign-in', label: 'Sign-in', content }]
}

/** Shows the connections and the directory of a workspace. The address contains the open connection. */
function SignIn({ workspaceId }: { workspaceId: string }) {
  const { search } = useWorkspaceSearch()
  if (search.connection)
    return <ConnectionDetail id={{ workspace_id: workspaceId, id: search.connection }} />
  return (
    <>
      <Connections workspaceId={workspaceId} />
      {/* Administrators have no routes for the directory. */}
      {isWorkspaceConsole && hasFeature('scim') && <Directory workspaceId={workspaceId} />}
    </>
  )
}
