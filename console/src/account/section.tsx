import type { ReactNode } from 'react'
import styles from './account-page.module.css'

/** A part of the page with a heading. */
export function Section({
  id,
  title,
  hint,
  children,
}: {
  id: string
  title: string
  hint?: string
  children: ReactNode
}) {
  return (
    <section className={styles.section} id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      {hint && <p className="dimmed">{hint}</p>}
      {children}
    </section>
  )
}

export type Item = { id: string; title: ReactNode; detail: ReactNode; actions?: ReactNode }

/** A list of things with what can be done with each. */
export function Items({ items, empty }: { items: Item[]; empty: string }) {
  if (items.length === 0) return <p className="dimmed">{empty}</p>
  return (
    <ul className={styles.list}>
      {items.map(({ id, title, detail, actions }) => (
        <li key={id}>
          <span className={styles.item}>
            {title}
            <small className="dimmed">{detail}</small>
          </span>
          {actions}
        </li>
      ))}
    </ul>
  )
}

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

export function formatTime(time: string | null): string {
  return time === null ? 'at an unknown time' : format.format(new Date(time))
}

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })

/** Formats a day that the server stores as its midnight in UTC. */
export function formatDay(time: string | null): string {
  return time === null ? 'on an unknown day' : day.format(new Date(time))
}
