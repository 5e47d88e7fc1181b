import { Badge, Group } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'
import classes from './page.module.css'

type PageProps = {
  title: string
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
export function Page({ title, badges, description, breadcrumbs, actions, children }: PageProps) {
  useDocumentTitle(`${title} · daikon`)
  return (
    <>
      <header className={classes.header}>
        <div className={classes.heading}>
          {breadcrumbs && <div className={classes.breadcrumbs}>{breadcrumbs}</div>}
          <div className={classes.titleLine}>
            <h1>{title}</h1>
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
            {count !== undefined && (
              <Badge variant="default" size="sm" ml={8}>
                {count}
              </Badge>
            )}
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
