import { Button, Menu, Switch } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import dayjs from 'dayjs'
import { useCallback, useState } from 'react'
import { downloadText } from '../ui/download.ts'
import { Icon } from '../ui/icon.tsx'
import { notifyDone, notifyFailure } from '../ui/notify.ts'
import { Card, Page } from '../ui/page.tsx'
import { SavedFilters } from '../ui/saved-filters.tsx'
import { actions, targetTypes } from './activity-actions.ts'
import { ActivityFilters, type ActivitySearch } from './activity-filters.tsx'
import { ActivityLog } from './activity-log.tsx'
import { type ActivityFilter, maxExported, readEntries } from './activity-queries.ts'
import { entriesToCsv } from './export.ts'

/** The interval in milliseconds at which the live log is refreshed. */
const tailInterval = 5000

export function ActivityPage() {
  const { entry, ...search } = useSearch({ from: '/shell/activity' })
  const navigate = useNavigate({ from: '/activity' })
  const [isLive, setLive] = useState(false)
  const filter = toFilter(search)
  const isFiltered = Object.values(search).some(Boolean)

  function change(next: ActivitySearch) {
    void navigate({
      search: (previous) => ({ ...previous, entry: undefined, ...next }),
      replace: true,
    })
  }

  const open = useCallback(
    (id: string | undefined) => {
      void navigate({ search: (search) => ({ ...search, entry: id }), replace: true })
    },
    [navigate],
  )

  return (
    <Page
      title="Activity"
      description="What people, services and operators have changed, newest first."
      actions={
        <>
          <Switch
            label="Live"
            checked={isLive}
            onChange={(event) => setLive(event.currentTarget.checked)}
            style={{ alignSelf: 'center' }}
            mr="xs"
          />
          <ExportMenu filter={filter} />
        </>
      }
    >
      <Card label="Events">
        <ActivityLog
          filter={filter}
          refreshInterval={isLive ? tailInterval : false}
          onClear={isFiltered ? () => navigate({ search: {} }) : undefined}
          toolbar={<ActivityFilters search={search} onChange={change} />}
          tools={
            <SavedFilters
              list="activity"
              filters={search}
              onApply={(filters) => navigate({ search: filters })}
            />
          }
          openId={entry}
          onOpen={open}
        />
      </Card>
    </Page>
  )
}

/**
 * Converts the search parameters to a filter. Days are in the time zone of the browser, and the
 * last day is included.
 */
function toFilter({ since, until, action, target_type, ...rest }: ActivitySearch): ActivityFilter {
  return {
    ...rest,
    action: actions.find((known) => known === action),
    target_type: targetTypes.find((known) => known === target_type),
    since: since && dayjs(since).isValid() ? dayjs(since).toISOString() : undefined,
    until: until && dayjs(until).isValid() ? dayjs(until).add(1, 'day').toISOString() : undefined,
  }
}

function ExportMenu({ filter }: { filter: ActivityFilter }) {
  const [count, setCount] = useState<number>()
  async function save(format: 'csv' | 'jsonl') {
    setCount(0)
    try {
      const entries = await readEntries(filter, setCount)
      const lines = entries.map((entry) => JSON.stringify(entry)).join('\n')
      if (format === 'csv') downloadText('activity.csv', 'text/csv', entriesToCsv(entries))
      else downloadText('activity.jsonl', 'application/jsonl', `${lines}\n`)
      const note = entries.length >= maxExported ? ' Use `daikon activity export` for more.' : ''
      notifyDone(`Exported ${entries.length.toLocaleString()} events.${note}`)
    } catch (error) {
      notifyFailure(error)
    } finally {
      setCount(undefined)
    }
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<Icon name="download" size={16} />}
          disabled={count !== undefined}
        >
          {count === undefined ? 'Export' : `${count.toLocaleString()} events…`}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>The events that match the filters</Menu.Label>
        <Menu.Item onClick={() => save('csv')}>As CSV</Menu.Item>
        <Menu.Item onClick={() => save('jsonl')}>As JSON lines</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
