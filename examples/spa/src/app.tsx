import { useDaikon, useUser } from '@daikon-auth/browser/react'
import { Documents } from './documents.tsx'
import { Header } from './header.tsx'
import { Notice, showError } from './notice.tsx'

export function App() {
  const user = useUser()
  return (
    <>
      <Notice />
      {user === null && <Welcome />}
      {user && (
        <>
          <Header user={user} />
          {/* Another workspace has other documents. */}
          <Documents key={user.workspace.id} user={user} />
        </>
      )}
    </>
  )
}

function Welcome() {
  const daikon = useDaikon()
  return (
    <main className="welcome">
      <Logo />
      <h1>Documents</h1>
      <p className="muted">Write together, and decide who may read and edit.</p>
      <button type="button" className="primary" onClick={() => daikon.signIn().catch(showError)}>
        Sign in
      </button>
    </main>
  )
}

export function Logo() {
  return (
    <svg className="logo" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="9" />
      <path d="M10 8h8l5 5v11H10z" />
    </svg>
  )
}
