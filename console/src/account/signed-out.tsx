import { Button } from '@mantine/core'
import styles from './account-page.module.css'
import { signIn } from './session.ts'

/** Offers to sign in, for a purpose, and says why the last attempt has failed. */
export function SignedOut({ error, purpose }: { error: string | undefined; purpose: string }) {
  return (
    <main className={styles.page}>
      <h1>Your account</h1>
      {error ? (
        <p className={styles.notice} role="alert">
          {error}
        </p>
      ) : (
        <p>{purpose}</p>
      )}
      <div className={styles.actions}>
        <Button onClick={() => signIn()}>Sign in</Button>
      </div>
    </main>
  )
}
