import { Group } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { CountBadge } from './badges.tsx'
import classes from './page.module.css'

type PageProps = {
  title: string
  /** The number of items that the page lists. */
  count?: number | undefined
  /** Shown next to the title. */
  badges?: ReactNode
  /** A line below the title. */
  description?: ReactNode
  /** Breadcrumbs: links to the parent lists. */
  breadcrumbs?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

/** The frame of a screen, with a title, actions and content. */
export function Page(props: PageProps) {
  const { title, count, badges, description, breadcrumbs, actions, children } = props
  useDocumentTitle(`${title} · daikon`)
  return (
    <>
      <header className={classes.header}>
        <div className={classes.heading}>
          {breadcrumbs && <div className={classes.breadcrumbs}>{breadcrumbs}</div>}
          <div className={classes.titleLine}>
            <h1>
              <bdi>{title}</bdi>
            </h1>
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

/** A card without a title, for pages whose title already describes the content. */
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
  /** The number of items in the section. */
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

/** A list of names and values that describe an object. */
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
