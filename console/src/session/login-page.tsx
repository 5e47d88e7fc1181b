import { useQuery } from '@tanstack/react-query'
import { Navigate, useSearch } from '@tanstack/react-router'
import { sessionQuery } from './session.ts'
import { describeSignInError } from './sign-in-errors.ts'
import { SignInPage } from './sign-in-page.tsx'

/** The page to which the server redirects after a failed sign-in. */
export function LoginPage() {
  const { error, error_description } = useSearch({ from: '/login' })
  const { data: administrator } = useQuery(sessionQuery)
  if (administrator && !error) return <Navigate to="/" replace />
  return <SignInPage returnTo="/" error={error && describeSignInError(error, error_description)} />
}
