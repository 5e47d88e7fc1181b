import { Alert, Button, Stack } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import classes from '../session/sign-in-page.module.css'
import { Logo } from '../ui/logo.tsx'
import { signIn } from './user-session.ts'

/** Offers to sign in to a workspace, and says why the last attempt has failed. */
export function WorkspaceSignInPage({ slug, error }: { slug: string; error: string | undefined }) {
  useDocumentTitle('Sign in · daikon')
  return (
    <main className={classes.page}>
      <div className={classes.card}>
        <Logo size={44} />
        <h1>
          Manage the workspace <bdi>{slug}</bdi>
        </h1>
        <p className={classes.lead}>Its owners and admins sign in with their own account.</p>
        {error && (
          <Alert color="red" variant="light" title="Sign-in failed" mb="md" role="alert">
            {error}
          </Alert>
        )}
        <Stack gap="xs">
          <Button onClick={() => signIn(slug)}>Sign in</Button>
          <Button variant="default" onClick={() => signIn(slug, 'select_account')}>
            Use another account
          </Button>
        </Stack>
      </div>
    </main>
  )
}
