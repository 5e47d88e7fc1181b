import { Tabs } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useDeferredValue, useEffect, useRef } from 'react'
import classes from './page-tabs.module.css'

export type PageTab = { value: string; label: string; content: ReactNode }

/** The tabs of a page. The address contains the selected tab, and only its content is rendered. */
export function PageTabs({ tabs, value }: { tabs: PageTab[]; value: string | undefined }) {
  const navigate = useNavigate()
  const list = useRef<HTMLDivElement>(null)
  const current = tabs.find((tab) => tab.value === value) ?? tabs[0]
  // The tab is highlighted immediately. The previous content remains until the new content has
  // rendered in the background.
  const rendered = useDeferredValue(current)
  // On a narrow screen, the tab list scrolls horizontally to the selected tab.
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      const active = list.current?.querySelector<HTMLElement>('[data-active]')
      if (!list.current || !active) return
      // `scrollIntoView` would also scroll the page to the tabs.
      const margin = (list.current.clientWidth - active.offsetWidth) / 2
      list.current.scrollLeft = active.offsetLeft - margin
    })
    return () => cancelAnimationFrame(frame)
  }, [value])
  if (!current || !rendered) return null
  function choose(tab: string | null) {
    const isFirst = tab === tabs[0]?.value
    void navigate({ to: '.', search: isFirst ? {} : { tab: tab ?? undefined } })
  }
  return (
    <Tabs value={current.value} onChange={choose} keepMounted={false}>
      <Tabs.List ref={list} mb="lg" className={classes.list}>
        {tabs.map((tab) => (
          <Tabs.Tab key={tab.value} value={tab.value} className={classes.tab}>
            <span className={classes.label} data-label={tab.label}>
              {tab.label}
            </span>
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel
        key={rendered.value}
        value={current.value}
        className={classes.panel}
        mod={{ stale: rendered.value !== current.value }}
      >
        {rendered.content}
      </Tabs.Panel>
    </Tabs>
  )
}
