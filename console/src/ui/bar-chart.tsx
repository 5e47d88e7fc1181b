import { useState } from 'react'
import classes from './bar-chart.module.css'

type Props = {
  /** What the chart counts, in the singular and the plural, such as `sign-in` and `sign-ins`. */
  unit: [one: string, many: string]
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
  const shown = chosen?.count ?? total
  const when = chosen ? `on ${formatDay(chosen.day)}` : `in ${days.length} days`
  const label = `${countOf(total, unit)} in ${days.length} days, at most ${highest.toLocaleString()} a day`
  return (
    <figure className={classes.chart}>
      <figcaption>
        <b>{shown.toLocaleString()}</b> {shown === 1 ? unit[0] : unit[1]} {when}
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

function countOf(count: number, [one, many]: Props['unit']): string {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`
}

function formatDay(day: string): string {
  return dayFormat.format(new Date(`${day}T00:00:00Z`))
}
