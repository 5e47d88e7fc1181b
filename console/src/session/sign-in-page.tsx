import { Alert } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { Logo } from '../ui/logo.tsx'
import { ProviderButtons } from './provider-buttons.tsx'
import classes from './sign-in-page.module.css'

/** Offers the identity providers. After the sign-in, the browser returns to `returnTo`. */
export function SignInPage({ returnTo, error }: { returnTo: string; error?: string | undefined }) {
  useDocumentTitle('Sign in · daikon')
  return (
    <main className={classes.page}>
      <div className={classes.card}>
        <Logo size={44} />
        <h1>Sign in to the admin console</h1>
        <p className={classes.lead}>Use the account of an administrator.</p>
        {error && (
          <Alert color="red" variant="light" title="Sign-in failed" mb="md" role="alert">
            {error}
          </Alert>
        )}
        <ProviderButtons returnTo={returnTo} />
      </div>
    </main>
  )
}
