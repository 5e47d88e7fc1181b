import { Group } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { CountBadge } from './badges.tsx'
import classes from './page.module.css'

type PageProps = {
  title: string
  /** The number of things that the page lists. */
  count?: number | undefined
  /** Shown beside the title. */
  badges?: ReactNode
  /** One line below the title. */
  description?: ReactNode
  /** Links to the lists that the page belongs to. */
  breadcrumbs?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

/** The frame of a screen: its title, its actions and its content. */
export function Page(props: PageProps) {
  const { title, count, badges, description, breadcrumbs, actions, children } = props
  useDocumentTitle(`${title} · daikon`)
  return (
    <>
      <header className={classes.header}>
        <div className={classes.heading}>
          {breadcrumbs && <div className={classes.breadcrumbs}>{breadcrumbs}</div>}
          <div className={classes.titleLine}>
            <h1>{title}</h1>
            {count !== undefined && <CountBadge value={count} />}
            {badges}
          </div>
          {description && <div className={classes.description}>{description}</div>}
        </div>
        {actions && <Group gap="xs">{actions}</Group>}
      </header>
      {children}
    </>
  )
}

/** A card without a title: the content of a page whose title says what it is. */
export function Card({ label, children }: { label: string; children: ReactNode }) {
  return (
    <section className={classes.section} aria-label={label}>
      {children}
    </section>
  )
}

type SectionProps = {
  title: string
  description?: ReactNode
  actions?: ReactNode
  /** The number of things in the section. */
  count?: number | undefined
  children: ReactNode
}

/** A card with a title. */
export function Section({ title, description, actions, count, children }: SectionProps) {
  return (
    <section className={classes.section} aria-label={title}>
      <header className={classes.sectionHeader}>
        <div>
          <h2>
            {title}
            {count !== undefined && <CountBadge value={count} />}
          </h2>
          {description && <p>{description}</p>}
        </div>
        {actions && <Group gap="xs">{actions}</Group>}
      </header>
      {children}
    </section>
  )
}

/** Names and values of one thing. */
export function Facts({ items }: { items: [name: string, value: ReactNode][] }) {
  return (
    <dl className={classes.facts}>
      {items.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
