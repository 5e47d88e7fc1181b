import { useEffect } from 'react'
import { announce } from './session.ts'
import classes from './sign-in-page.module.css'

/** Closes the window in which an administrator signed in again. */
export function SignedInPage() {
  useEffect(() => {
    announce('signed-in')
    window.close()
  }, [])
  return (
    <main className={classes.page}>
      <div className={classes.card}>
        <h1>You are signed in</h1>
        <p className={classes.lead}>Close this window and continue where you were.</p>
      </div>
    </main>
  )
}
