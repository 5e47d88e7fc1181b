import { useState } from 'react'
import classes from './bar-chart.module.css'

type Props = {
  /** The plural of what the chart counts, such as `sign-ins`. */
  unit: string
  /** Dates in ISO 8601 format, oldest first. */
  days: { day: string; count: number }[]
}

const dayFormat = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
})

/** Shows one bar per day. Assistive technology reads the total and the highest day. */
export function BarChart({ unit, days }: Props) {
  const [selected, setSelected] = useState<number>()
  const highest = Math.max(1, ...days.map(({ count }) => count))
  const total = days.reduce((sum, { count }) => sum + count, 0)
  const chosen = selected === undefined ? undefined : days[selected]
  const first = days[0]
  const last = days.at(-1)
  const label = `${total.toLocaleString()} ${unit} in ${days.length} days, at most ${highest.toLocaleString()} a day`
  return (
    <figure className={classes.chart}>
      <figcaption>
        <b>{(chosen?.count ?? total).toLocaleString()}</b>{' '}
        {chosen ? `${unit} on ${formatDay(chosen.day)}` : `${unit} in ${days.length} days`}
      </figcaption>
      <svg
        viewBox={`0 0 ${days.length * 10} 64`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
        onMouseLeave={() => setSelected(undefined)}
      >
        {days.map(({ day, count }, index) => {
          const height = count === 0 ? 1 : Math.max(3, (count / highest) * 62)
          return (
            // biome-ignore lint/a11y/noStaticElementInteractions: the chart's label has the figures
            <g key={day} onMouseEnter={() => setSelected(index)}>
              <rect x={index * 10} y={0} width={10} height={64} fill="transparent" />
              <rect
                x={index * 10 + 1.5}
                y={64 - height}
                width={7}
                height={height}
                rx={1}
                className={count === 0 ? classes.none : classes.bar}
              />
            </g>
          )
        })}
      </svg>
      <div className={classes.axis} aria-hidden="true">
        <span>{first && formatDay(first.day)}</span>
        <span>{last && formatDay(last.day)}</span>
      </div>
    </figure>
  )
}

function formatDay(day: string): string {
  return dayFormat.format(new Date(`${day}T00:00:00Z`))
}
