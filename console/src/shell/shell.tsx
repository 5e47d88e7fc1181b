import { useQuery } from '@tanstack/react-query'
import { Outlet, useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { sessionQuery } from '../session/session.ts'
import { SignInPage } from '../session/sign-in-page.tsx'
import { ErrorState, PageSkeleton } from '../ui/states.tsx'
import { Header } from './header.tsx'
import { Navigation } from './navigation.tsx'
import { Notices } from './notices.tsx'
import { Palette } from './palette.tsx'
import classes from './shell.module.css'
import { Shortcuts } from './shortcuts.tsx'

/** The frame of all screens behind the sign-in. */
export function Shell({ children = <Outlet /> }: { children?: ReactNode }) {
  const session = useQuery(sessionQuery)
  const location = useLocation()
  const [isMenuOpen, setMenuOpen] = useState(false)

  // The menu closes when the page changes.
  useEffect(() => setMenuOpen(false), [location.pathname])

  if (session.data === null) return <SignInPage returnTo={location.href} />
  if (!session.data) {
    return (
      <main className={classes.waiting}>
        {session.error ? (
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
      <Palette />
      <Shortcuts />
    </div>
  )
}
