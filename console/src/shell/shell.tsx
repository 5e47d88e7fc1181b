import { useQuery } from '@tanstack/react-query'
import { Outlet, useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { serverUnavailable, useSignal } from '../api/signals.ts'
import { forgetSession, onSessionEvent, sessionQuery } from '../session/session.ts'
import { SignInPage } from '../session/sign-in-page.tsx'
import { ErrorState, PageSkeleton } from '../ui/states.tsx'
import { Header } from './header.tsx'
import { Navigation } from './navigation.tsx'
import { Notices } from './notices.tsx'
import { OutagePage, useRecovery } from './outage.tsx'
import { Palette } from './palette.tsx'
import classes from './shell.module.css'
import { Shortcuts } from './shortcuts.tsx'

/** The frame of all screens that require a sign-in. */
export function Shell({ children = <Outlet /> }: { children?: ReactNode }) {
  const session = useQuery(sessionQuery)
  const isUnavailable = useSignal(serverUnavailable)
  const pathname = useLocation({ select: (location) => location.pathname })
  const [isMenuOpen, setMenuOpen] = useState(false)

  useEffect(() => onSessionEvent('signed-out', forgetSession), [])

  // The menu closes when the page changes.
  useEffect(() => setMenuOpen(false), [pathname])

  if (session.data === null) return <SignIn />
  if (!session.data) {
    return (
      <main className={classes.waiting}>
        {isUnavailable ? (
          <WaitForSession />
        ) : session.error ? (
          <ErrorState error={session.error} onRetry={() => session.refetch()} />
        ) : (
          <PageSkeleton />
        )}
      </main>
    )
  }
  return (
    <div className={classes.shell}>
      <a href="#content" className={classes.skip}>
        Skip to content
      </a>
      <aside className={classes.sidebar} data-open={isMenuOpen || undefined}>
        <div className={classes.navigation}>
          <Navigation />
        </div>
      </aside>
      <div className={classes.column}>
        <Header isMenuOpen={isMenuOpen} onMenu={() => setMenuOpen(!isMenuOpen)} />
        <Notices />
        <main id="content" className={classes.content} tabIndex={-1}>
          {children}
        </main>
      </div>
      {dialogs}
    </div>
  )
}

/** A constant element, so that the dialogs do not render again with the page. */
const dialogs = (
  <>
    <Palette />
    <Shortcuts />
  </>
)

function WaitForSession() {
  useRecovery()
  return <OutagePage />
}

function SignIn() {
  const { href } = useLocation()
  return <SignInPage returnTo={href} />
}
