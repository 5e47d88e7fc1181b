import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { limitedUntil, serverAway, useSignal } from '../api/signals.ts'
import { settings } from '../settings.ts'
import { Icon } from '../ui/icon.tsx'
import classes from './notices.module.css'

/** Milliseconds between attempts to reach a server that is away. */
const probeInterval = 2000

/** Tells why the page waits: the server is away, or the rate limit holds requests back. */
export function Notices() {
  const isAway = useSignal(serverAway)
  const until = useSignal(limitedUntil)
  return (
    <div role="status" aria-live="polite">
      {isAway && <ServerAway />}
      {until > 0 && <RateLimited until={until} />}
    </div>
  )
}

function ServerAway() {
  const queryClient = useQueryClient()
  useEffect(() => {
    const timer = setInterval(async () => {
      // `/health` says that the server runs, and a read that its database does.
      const health = await fetch(new URL('/health', settings.base_url)).catch(() => undefined)
      if (health?.ok) await queryClient.refetchQueries({ type: 'active' })
    }, probeInterval)
    return () => clearInterval(timer)
  }, [queryClient])
  return (
    <p className={classes.notice}>
      <Icon name="alert" /> The server cannot be reached. This page continues when it is back.
    </p>
  )
}

function RateLimited({ until }: { until: number }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(1, Math.ceil((until - now) / 1000))
  return (
    <p className={classes.notice}>
      <Icon name="alert" /> The rate limit is reached. Continuing in {seconds} s.
    </p>
  )
}
