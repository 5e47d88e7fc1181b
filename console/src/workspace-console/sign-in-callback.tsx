import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { describeSignInError } from '../session/sign-in-errors.ts'
import classes from '../session/sign-in-page.module.css'
import { PageSkeleton } from '../ui/states.tsx'
import { completeSignIn } from './user-session.ts'

/** Completes a sign-in, and returns to where it began. */
export function SignInCallback({ response }: { response: URLSearchParams }) {
  const navigate = useNavigate()
  const [isElsewhere, setElsewhere] = useState(false)
  useEffect(() => {
    // Neither the code remains in the history, nor the pages that opened the window a handle to it.
    history.replaceState(history.state, '', location.pathname)
    window.opener = null
    void completeSignIn(response).then((returnTo) => {
      if (returnTo) return navigate({ href: returnTo, replace: true })
      setElsewhere(true)
      window.close()
    })
  }, [response, navigate])
  if (!isElsewhere) return <PageSkeleton />
  const error = response.get('error')
  return (
    <main className={classes.page}>
      <div className={classes.card}>
        <h1>{error ? 'Sign-in failed' : 'You are signed in'}</h1>
        {error && (
          <p role="alert">{describeSignInError(error, response.get('error_description'))}</p>
        )}
        <p className={classes.lead}>Close this window and continue where you were.</p>
      </div>
    </main>
  )
}
