import { useEffect, useState } from 'react'
import { limitedUntil, serverUnavailable, useSignal } from '../api/signals.ts'
import { Icon } from '../ui/icon.tsx'
import classes from './notices.module.css'
import { useRecovery } from './outage.tsx'

/**
 * Explains why the page is waiting: the server is unavailable, or the rate limit delays requests.
 */
export function Notices() {
  const isUnavailable = useSignal(serverUnavailable)
  const until = useSignal(limitedUntil)
  return (
    <div role="status" aria-live="polite">
      {isUnavailable && <ServerUnavailable />}
      {until > 0 && <RateLimited until={until} />}
    </div>
  )
}

function ServerUnavailable() {
  useRecovery()
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
