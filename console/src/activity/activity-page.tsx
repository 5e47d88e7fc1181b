import { Button, Menu, Switch, TextInput } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import dayjs from 'dayjs'
import { useState } from 'react'
import { downloadText } from '../ui/download.ts'
import { FilterSelect } from '../ui/filter-select.tsx'
import { Icon } from '../ui/icon.tsx'
import { notifyDone, notifyFailure } from '../ui/notify.ts'
import { Card, Page } from '../ui/page.tsx'
import { PersonPicker } from '../ui/pickers.tsx'
import { WorkspacePicker } from '../workspaces/workspace-picker.tsx'
import { actions, targetTypes } from './activity-actions.ts'
import { ActivityLog } from './activity-log.tsx'
import classes from './activity-page.module.css'
import { type ActivityFilter, maxExported, readEntries } from './activity-queries.ts'
import { describeAction } from './describe.ts'
import { toCsv } from './export.ts'

/** The interval in milliseconds at which the live log is refreshed. */
const tailInterval = 5000

type Search = {
  action?: string | undefined
  target_type?: string | undefined
  actor_id?: string | undefined
  target_id?: string | undefined
  workspace_id?: string | undefined
  since?: string | undefined
  until?: string | undefined
}

export function ActivityPage() {
  const search: Search = useSearch({ from: '/shell/activity' })
  const navigate = useNavigate({ from: '/activity' })
  const [isLive, setLive] = useState(false)
  const filter = toFilter(search)
  const isFiltered = Object.values(search).some(Boolean)

  function change(next: Search) {
    void navigate({ search: { ...search, ...next }, replace: true })
  }

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
          toolbar={<Filters search={search} onChange={change} />}
        />
      </Card>
    </Page>
  )
}

/**
 * Converts the search parameters to a filter. Days are in the time zone of the browser, and the
 * last day is included.
 */
function toFilter({ since, until, action, target_type, ...rest }: Search): ActivityFilter {
  return {
    ...rest,
    action: actions.find((known) => known === action),
    target_type: targetTypes.find((known) => known === target_type),
    since: since && dayjs(since).isValid() ? dayjs(since).toISOString() : undefined,
    until: until && dayjs(until).isValid() ? dayjs(until).add(1, 'day').toISOString() : undefined,
  }
}

function Filters({ search, onChange }: { search: Search; onChange: (change: Search) => void }) {
  return (
    <>
      <FilterSelect
        label="Event"
        placeholder="Any event"
        options={actions.map((action) => ({ value: action, label: describeAction(action) }))}
        value={search.action}
        onChange={(action) => onChange({ action })}
        isSearchable
        w={200}
      />
      <FilterSelect
        label="Type of target"
        placeholder="Any target"
        options={targetTypes.map((type) => ({ value: type, label: type.replaceAll('_', ' ') }))}
        value={search.target_type}
        onChange={(target_type) => onChange({ target_type })}
        w={150}
      />
      <PersonPicker
        label="By"
        isFilter
        value={search.actor_id ?? null}
        onChange={(id) => onChange({ actor_id: id ?? undefined })}
      />
      <WorkspacePicker
        label="Workspace"
        isFilter
        value={search.workspace_id ?? null}
        onChange={(id) => onChange({ workspace_id: id ?? undefined })}
      />
      <TextInput
        type="date"
        w={200}
        aria-label="From day"
        leftSection={<span className={classes.dateLabel}>From</span>}
        leftSectionWidth={56}
        value={search.since ?? ''}
        onChange={(event) => onChange({ since: event.currentTarget.value || undefined })}
      />
      <TextInput
        type="date"
        w={200}
        aria-label="To day"
        leftSection={<span className={classes.dateLabel}>To</span>}
        leftSectionWidth={40}
        value={search.until ?? ''}
        onChange={(event) => onChange({ until: event.currentTarget.value || undefined })}
      />
    </>
  )
}

function ExportMenu({ filter }: { filter: ActivityFilter }) {
  const [count, setCount] = useState<number>()
  async function save(format: 'csv' | 'jsonl') {
    setCount(0)
    try {
      const entries = await readEntries(filter, setCount)
      const lines = entries.map((entry) => JSON.stringify(entry)).join('\n')
      if (format === 'csv') downloadText('activity.csv', 'text/csv', toCsv(entries))
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
