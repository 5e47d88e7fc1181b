import dayjs from 'dayjs'
import relativeTime from 'dayjs/plugin/relativeTime'

dayjs.extend(relativeTime)

const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

type Props = {
  value: string | null | undefined
  /** Shown if there is no value. */
  empty?: string
  /** Whether to show `3 minutes ago` instead of the date and time. */
  relative?: boolean
}

/** Shows a time in the time zone of the browser, with the time in UTC as the tooltip. */
export function Time({ value, empty = 'Never', relative = false }: Props) {
  if (!value) return <span className="dimmed">{empty}</span>
  return (
    <time dateTime={value} title={`${formatUtc(value)} UTC`}>
      {relative ? dayjs(value).fromNow() : absolute.format(new Date(value))}
    </time>
  )
}

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })

/** Shows a day that the server stores as its midnight in UTC, which is another day in some time zones. */
export function Day({ value }: { value: string | null | undefined }) {
  if (!value) return <span className="dimmed">Never</span>
  return (
    <time dateTime={value.slice(0, 10)} title="In UTC">
      {day.format(new Date(value))}
    </time>
  )
}

export function formatUtc(value: string): string {
  return new Date(value).toISOString().slice(0, 19).replace('T', ' ')
}
