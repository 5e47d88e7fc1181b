import { Button } from '@mantine/core'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useMemo } from 'react'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Name } from '../ui/name.tsx'
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
import { describeAction, describeDetail } from './describe.ts'
import { Target } from './target.tsx'

const columns: Column<ActivityEntry>[] = [
  {
    id: 'action',
    header: 'Event',
    isNowrap: true,
    cell: ({ action }) => <b title={action}>{describeAction(action)}</b>,
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
    cell: ({ actor_id, service_app_id }) => {
      const id = actor_id ?? service_app_id
      return id ? <Name id={id} /> : <span className="dimmed">System</span>
    },
  },
  {
    id: 'detail',
    header: 'Detail',
    cell: (entry) => <Detail text={describeDetail(entry)} />,
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

/** Shows at most two lines of the text; the tooltip contains all of it. */
function Detail({ text }: { text: string }) {
  return (
    <span className={classes.detail} title={text}>
      {text}
    </span>
  )
}

type Props = {
  filter: ActivityFilter
  toolbar?: ReactNode
  /**
   * The interval in milliseconds at which new entries are loaded, or false to load them only once.
   */
  refreshInterval?: number | false
  onClear?: (() => void) | undefined
}

/** Shows the entries of the activity log that match a filter. */
export function ActivityLog({ filter, toolbar, refreshInterval = false, onClear }: Props) {
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
    </>
  )
}
