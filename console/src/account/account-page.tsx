import { Loader } from '@mantine/core'
import { useCallback, useEffect, useState } from 'react'
import { describeSignInError } from '../session/sign-in-errors.ts'
import { type Account, loadAccount } from './account-data.ts'
import styles from './account-page.module.css'
import { type Question, QuestionDialog } from './dialogs.tsx'
import type { PageActions } from './page-actions.ts'
import { settings, titleOf } from './page-settings.ts'
import type { Arrival } from './session.ts'
import { SignedOut } from './signed-out.tsx'
import { YourApps } from './your-apps.tsx'
import { YourData } from './your-data.tsx'
import { YourDelegations } from './your-delegations.tsx'
import { YourMemberships } from './your-memberships.tsx'
import { YourSessions } from './your-sessions.tsx'
import { YourSignIns } from './your-sign-ins.tsx'

/** The page on which people look after their own account. */
export function AccountPage({ arrival }: { arrival: Arrival }) {
  const [account, setAccount] = useState<Account>()
  const [question, setQuestion] = useState<Question>()
  const [error, setError] = useState(arrival.error)
  const reload = useCallback(async () => setAccount(await loadAccount()), [])
  useEffect(() => {
    if (arrival.isSignedIn) reload().catch(({ message }: Error) => setError(message))
  }, [arrival, reload])
  if (!arrival.isSignedIn)
    return (
      <SignedOut
        error={error}
        purpose="Sign in to see how you sign in, where you are signed in, and your data."
      />
    )
  const notice = describeOutcome(arrival)
  return (
    <main className={styles.page}>
      {notice && (
        <p className={styles.notice} role="status">
          {notice}
        </p>
      )}
      {error && (
        <p className={styles.notice} role="alert">
          {error}
        </p>
      )}
      {account ? (
        <Content account={account} actions={{ ask: setQuestion, reload }} />
      ) : (
        !error && <Loader aria-label="Loading" />
      )}
      {question && <QuestionDialog question={question} onClose={() => setQuestion(undefined)} />}
    </main>
  )
}

function Content({ account, actions }: { account: Account; actions: PageActions }) {
  const { user } = account
  const name = user.name || user.email
  return (
    <>
      <header className={styles.head}>
        <span className={styles.initials} aria-hidden="true">
          {initialsOf(name)}
        </span>
        <div className={styles.item}>
          <h1>{name}</h1>
          <span className="dimmed">{user.email}</span>
        </div>
      </header>
      <YourSignIns account={account} {...actions} />
      <YourSessions sessions={account.sessions} {...actions} />
      {settings.has_grants && <YourApps account={account} {...actions} />}
      <YourMemberships account={account} {...actions} />
      {settings.has_delegations && <YourDelegations account={account} {...actions} />}
      <YourData user={user} {...actions} />
    </>
  )
}

function describeOutcome({ query, hasSteppedUp }: Arrival): string | undefined {
  const linked = query.get('linked')
  if (linked) return `The account was added: ${titleOf(linked)}.`
  const error = query.get('error')
  if (error === 'account_conflict')
    return 'The account was not added: it belongs to somebody else, or you already have one of this provider.'
  if (error) return `The account was not added: ${describeSignInError(error)}.`
  return hasSteppedUp ? 'You have signed in again. You can now make the change.' : undefined
}

function initialsOf(name: string): string {
  const [first = '', ...others] = name.trim().split(/\s+/)
  const last = others.at(-1) ?? ''
  return [first, last]
    .map((word) => [...word][0] ?? '')
    .join('')
    .toUpperCase()
}
