import { useEffect, useState } from 'react'
import { formatUtc } from './time.tsx'

/** Shows the time until an instant, such as `59:07` or `3:00:00`, and counts down. */
export function Countdown({ until }: { until: string }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return (
    <time dateTime={until} title={`${formatUtc(until)} UTC`} style={tabularNumbers}>
      {formatDuration(Date.parse(until) - now)}
    </time>
  )
}

const tabularNumbers = { fontVariantNumeric: 'tabular-nums' } as const

function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000))
  const hours = Math.floor(seconds / 3600)
  const parts = [Math.floor((seconds % 3600) / 60), seconds % 60]
  const all = hours > 0 ? [hours, ...parts] : parts
  return all.map((part, index) => (index > 0 ? String(part).padStart(2, '0') : part)).join(':')
}
