import { Button } from '@mantine/core'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { EmptyState } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import classes from './activity-log.module.css'
import {
  type ActivityEntry,
  type ActivityFilter,
  activityQuery,
  addNewest,
  newestActivityQuery,
} from './activity-queries.ts'
import { describeAction } from './describe.ts'
import { EntryDetail } from './entry-detail.tsx'
import { EntryDialog } from './entry-dialog.tsx'
import { Actor, Target } from './target.tsx'

function createColumns(onOpen: (entryId: string) => void): Column<ActivityEntry>[] {
  return [
    {
      id: 'action',
      header: 'Event',
      isNowrap: true,
      cell: ({ id, action }) => (
        <button type="button" className={classes.event} onClick={() => onOpen(id)}>
          {describeAction(action)}
        </button>
      ),
    },
    {
      id: 'target',
      header: 'Target',
      cell: (entry) => <Target entry={entry} />,
    },
    {
      id: 'actor',
      header: 'By',
      isNowrap: true,
      cell: (entry) => <Actor entry={entry} />,
    },
    {
      id: 'detail',
      header: 'Detail',
      cell: (entry) => <EntryDetail entry={entry} />,
    },
    { id: 'time', header: 'Time', cell: ({ created_at }) => <Time value={created_at} /> },
    {
      id: 'ip',
      header: 'IP address',
      isOptional: true,
      cell: ({ ip }) => <span className="mono">{ip}</span>,
    },
    {
      id: 'request',
      header: 'Request',
      isOptional: true,
      cell: ({ request_id }) => <span className="mono">{request_id}</span>,
    },
  ]
}

type Props = {
  filter: ActivityFilter
  toolbar?: ReactNode
  tools?: ReactNode
  /**
   * The interval in milliseconds at which new entries are loaded, or false to load them only once.
   */
  refreshInterval?: number | false
  onClear?: (() => void) | undefined
  /** The ID of the open entry in the address. Without `onOpen`, the address does not contain it. */
  openId?: string | undefined
  onOpen?: (entryId: string | undefined) => void
}

/** Shows the entries of the activity log that match a filter. */
export function ActivityLog({
  filter,
  toolbar,
  tools,
  refreshInterval = false,
  onClear,
  openId: controlledId,
  onOpen,
}: Props) {
  const [ownId, setOwnId] = useState<string>()
  const openId = onOpen ? controlledId : ownId
  const open = onOpen ?? setOwnId
  // Memoized, so that the rows do not render again with the page.
  const columns = useMemo(() => createColumns(open), [open])
  const log = useInfiniteQuery({
    ...activityQuery(filter),
    placeholderData: keepPreviousData,
  })
  const { data: newest } = useQuery({
    ...newestActivityQuery(filter),
    enabled: refreshInterval !== false,
    refetchInterval: refreshInterval,
  })
  useEffect(() => {
    if (newest) addNewest(filter, newest)
  }, [newest])
  const rows = useMemo(() => log.data?.pages.flatMap(({ items }) => items), [log.data])
  return (
    <>
      <DataTable
        label="Activity"
        columns={columns}
        rows={rows}
        rowId="id"
        error={log.error}
        onRetry={() => log.refetch()}
        isStale={log.isPlaceholderData}
        toolbar={toolbar}
        tools={tools}
        empty={
          <EmptyState
            icon="activity"
            title={onClear ? 'No event matches' : 'No activity yet'}
            action={
              onClear && (
                <Button variant="default" onClick={onClear}>
                  Clear the filters
                </Button>
              )
            }
          />
        }
      />
      {log.hasNextPage && (
        <Button
          variant="default"
          fullWidth
          mt="md"
          loading={log.isFetchingNextPage}
          onClick={() => log.fetchNextPage()}
        >
          Show older events
        </Button>
      )}
      <EntryDialog
        entryId={openId}
        listed={rows?.find(({ id }) => id === openId)}
        onClose={() => open(undefined)}
      />
    </>
  )
}
