import { Button } from '@mantine/core'
import { useEffect } from 'react'
import { describeError } from '../api/api-error.ts'
import { EmptyState } from '../ui/states.tsx'
import { OutagePage } from './outage.tsx'

/** The interval in milliseconds at which loading the code of a screen is retried. */
const retryInterval = 2000

/**
 * Shown if a screen or the whole page fails. If its code could not be loaded, the server is unavailable or has a
 * newer version of the console, and the page reloads as soon as the server is available.
 */
export function RouteError({ error }: { error: unknown }) {
  const isCodeMissing = error instanceof Error && /import|module|preload/i.test(error.message)
  if (isCodeMissing) return <WaitForCode />
  return (
    <EmptyState
      icon="alert"
      title="This page cannot be shown"
      isPage
      action={
        <Button variant="default" onClick={() => window.location.reload()}>
          Reload
        </Button>
      }
    >
      {describeError(error)}. If reloading does not help, <a href="/">go to the overview</a>.
    </EmptyState>
  )
}

function WaitForCode() {
  useEffect(() => {
    const timer = setInterval(async () => {
      const response = await fetch('/', { cache: 'no-store' }).catch(() => undefined)
      if (response?.ok) window.location.reload()
    }, retryInterval)
    return () => clearInterval(timer)
  }, [])
  return <OutagePage />
}
