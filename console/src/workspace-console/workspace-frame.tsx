import { Button } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { describeError } from '../api/api-error.ts'
import { api, unwrap } from '../api/client.ts'
import { sessionEnded, useSignal } from '../api/signals.ts'
import { SessionEndedDialog } from '../session/session-overlay.tsx'
import { AccountMenu } from '../shell/account-menu.tsx'
import headerClasses from '../shell/header.module.css'
import { ColorScheme, Hat } from '../shell/header.tsx'
import { Notices } from '../shell/notices.tsx'
import shellClasses from '../shell/shell.module.css'
import { Logo } from '../ui/logo.tsx'
import { EmptyState, QueryState } from '../ui/states.tsx'
import { describeRole } from '../workspaces/roles.ts'
import { type Workspace, workspaceQuery } from '../workspaces/workspace-queries.ts'
import { signInAgain, signOut } from './user-session.ts'
import { WorkspacePages } from './workspace-pages.tsx'

const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: () => unwrap(api.GET('/users/me')),
})

/** The frame of the workspace console for a signed-in member. */
export function WorkspaceFrame({ workspaceId }: { workspaceId: string }) {
  const workspace = useQuery(workspaceQuery(workspaceId))
  const { data: me } = useQuery(meQuery)
  return (
    <div className={shellClasses.column}>
      <a href="#content" className={shellClasses.skip}>
        Skip to content
      </a>
      <header className={headerClasses.header}>
        <Logo size={28} />
        <Hat>{workspace.data && describeHat(workspace.data)}</Hat>
        <ColorScheme />
        {me && <AccountMenu person={me} onSignOut={signOut} />}
      </header>
      <Notices />
      <main id="content" className={shellClasses.content} tabIndex={-1}>
        <QueryState query={workspace}>
          {(data) =>
            mayAdminister(data) ? (
              <WorkspacePages workspace={data} />
            ) : (
              <NotAllowed workspace={data} />
            )
          }
        </QueryState>
      </main>
      <SignInAgain />
    </div>
  )
}

function describeHat({ name, role }: Workspace): string {
  return `${describeRole(role ?? '')} of the workspace ${name}`
}

function mayAdminister({ role }: Workspace): boolean {
  return role === 'owner' || role === 'admin'
}

function NotAllowed({ workspace: { name, role } }: { workspace: Workspace }) {
  return (
    <EmptyState icon="lock" title={`You may not administer ${name}`} isPage>
      Your role is {describeRole(role ?? '')}. Only owners and admins can manage a workspace: ask
      one of them for what you need.
    </EmptyState>
  )
}

/** When the session has ended, offers to sign in again without losing input on the page. */
function SignInAgain() {
  const isOpen = useSignal(sessionEnded)
  const [error, setError] = useState<string>()
  return (
    <SessionEndedDialog isOpen={isOpen}>
      {error && <p role="alert">{error}</p>}
      <Button
        fullWidth
        onClick={() => signInAgain().catch((failure) => setError(describeError(failure)))}
      >
        Sign in
      </Button>
    </SessionEndedDialog>
  )
}
