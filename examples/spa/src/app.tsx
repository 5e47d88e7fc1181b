import { useDaikon, useUser } from '@daikon-auth/browser/react'
import { Documents } from './documents.tsx'
import { Header } from './header.tsx'
import { Logo } from './logo.tsx'
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
