import { useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useSignal } from '../api/signals.ts'
import { signInResponse } from '../console-kind.ts'
import { PageSkeleton } from '../ui/states.tsx'
import { SignInCallback } from './sign-in-callback.tsx'
import { WorkspaceSignInPage } from './sign-in-page.tsx'
import { signIn, userSession } from './user-session.ts'
import { WorkspaceFrame } from './workspace-frame.tsx'

/** The console of one workspace, for its owners and admins. */
export function WorkspaceConsole() {
  const { slug } = useParams({ from: '/w/$slug' })
  const session = useSignal(userSession)
  if (session.status === 'unknown')
    return signInResponse ? (
      <SignInCallback response={signInResponse} />
    ) : (
      <SilentSignIn slug={slug} />
    )
  if (session.status === 'signed-out')
    return <WorkspaceSignInPage slug={slug} error={session.error} />
  return <WorkspaceFrame workspaceId={session.workspaceId} />
}

/** Signs in if daikon still has a session of the user in this browser. */
function SilentSignIn({ slug }: { slug: string }) {
  useEffect(() => void signIn(slug, 'none'), [slug])
  return <PageSkeleton />
}
