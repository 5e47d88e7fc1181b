import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { settings } from '../settings.ts'
import { EmptyState } from '../ui/states.tsx'

/** The interval in milliseconds at which an unavailable server is checked. */
const probeInterval = 2000

/** Reloads the data of the page as soon as the server is available again. */
export function useRecovery(): void {
  const queryClient = useQueryClient()
  useEffect(() => {
    const timer = setInterval(async () => {
      // `/health` shows whether the server is running, and a read whether its database is
      // available.
      const health = await fetch(new URL('/health', settings.base_url)).catch(() => undefined)
      // Reads that take longer than the interval continue.
      if (health?.ok) {
        await queryClient.refetchQueries({ type: 'active' }, { cancelRefetch: false })
      }
    }, probeInterval)
    return () => clearInterval(timer)
  }, [queryClient])
}

/** Shown instead of a page that cannot be loaded because the server is unavailable. */
export function OutagePage() {
  return (
    <EmptyState icon="refresh" title="The server cannot be reached" isPage>
      This page continues when it is back.
    </EmptyState>
  )
}
