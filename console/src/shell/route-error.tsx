import { useEffect } from 'react'
import { EmptyState, ErrorState } from '../ui/states.tsx'

/** The interval in milliseconds at which loading the code of a screen is retried. */
const retryInterval = 2000

/**
 * Shown if a screen fails. If its code could not be loaded, the server is unavailable or has a
 * newer version of the console, and the page reloads as soon as the server is available.
 */
export function RouteError({ error }: { error: unknown }) {
  const isCodeMissing = error instanceof Error && /import|module|preload/i.test(error.message)
  if (isCodeMissing) return <WaitForCode />
  return <ErrorState error={error} onRetry={() => window.location.reload()} />
}

function WaitForCode() {
  useEffect(() => {
    const timer = setInterval(async () => {
      const response = await fetch('/', { cache: 'no-store' }).catch(() => undefined)
      if (response?.ok) window.location.reload()
    }, retryInterval)
    return () => clearInterval(timer)
  }, [])
  return (
    <EmptyState icon="refresh" title="The server cannot be reached" isPage>
      This page continues when it is back.
    </EmptyState>
  )
}
