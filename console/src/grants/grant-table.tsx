import { Button } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import { fetchNow } from '../api/query-client.ts'
import type { CsvColumn } from '../ui/csv.ts'
import { CsvButton } from '../ui/csv-button.tsx'
import { actionColumn, type Column, DataTable } from '../ui/data-table.tsx'
import { loadPages } from '../ui/load-rows.ts'
import { Name } from '../ui/name.tsx'
import { notifyDone } from '../ui/notify.ts'
import { usePreference } from '../ui/preferences.ts'
import { RowAction } from '../ui/row-action.tsx'
import { RowLink } from '../ui/row-link.tsx'
import { EmptyState } from '../ui/states.tsx'
import { Day, Time } from '../ui/time.tsx'
import { isClientUrl } from './client-id.ts'
import { endGrant, type Grant, type GrantFilters, grantsQuery } from './grant-queries.ts'
import classes from './grant-table.module.css'

const columns: Column<Grant>[] = [
  {
    id: 'user',
    header: 'Person',
    cell: ({ user_id }) => user_id && <Name id={user_id} />,
  },
  {
    id: 'workspace',
    header: 'Workspace',
    cell: ({ workspace_id }) => <Name id={workspace_id} />,
  },
  {
    id: 'resource',
    header: 'API',
    cell: ({ resource, scopes }) => (
      <span className={classes.stack}>
        {resource ? (
          <span className="mono">{resource}</span>
        ) : (
          <span className="dimmed">All services</span>
        )}
        <span className={classes.detail}>{scopes.join(' ')}</span>
      </span>
    ),
  },
  {
    id: 'created',
    header: 'Agreed',
    isOptional: true,
    cell: ({ created_at }) => <Time value={created_at} />,
  },
  {
    id: 'used',
    header: 'Last used',
    isNowrap: true,
    cell: ({ last_used_at }) => <Day value={last_used_at} />,
  },
  actionColumn((grant) => (
    <RowAction
      label="End"
      name={`End the access of ${grant.host}`}
      confirmation={{
        title: `End the access of ${grant.host}?`,
        children: (
          <>
            It loses its access{' '}
            {grant.user_id && (
              <>
                to the data of <Name id={grant.user_id} />
              </>
            )}{' '}
            at once, and may ask for it again. Programs on one computer that use the same app share
            its access.
          </>
        ),
        action: 'End access',
        run: async () => {
          await endGrant(grant)
          notifyDone(`The access of ${grant.host} has ended.`)
        },
      }}
    />
  )),
]

const csvColumns: CsvColumn<Grant>[] = [
  'id',
  'client_id',
  'client_name',
  'host',
  'user_id',
  'workspace_id',
  'resource',
  ['scopes', ({ scopes }) => scopes.join(' ')],
  'created_at',
  'last_used_at',
]

type Props = {
  filters: GrantFilters
  /** Whether hosts and client IDs lead to the list of their grants. */
  hasLinks?: boolean
  /** The page number in the address. If undefined, a table that is part of another page stores its own. */
  page?: number
  onPage?: (page: number) => void
  toolbar?: ReactNode
  /** Buttons beside the download. */
  tools?: ReactNode
  onClear?: (() => void) | undefined
}

/** Shows the grants that match the filters, newest first. */
export function GrantTable({
  filters,
  hasLinks = false,
  page: controlledPage,
  onPage,
  toolbar,
  tools,
  onClear,
}: Props) {
  const [ownPage, setOwnPage] = useState(1)
  const [pageSize, setPageSize] = usePreference('page-size.grants', 20)
  const page = controlledPage ?? ownPage
  const setPage = onPage ?? setOwnPage
  const { user_id, workspace_id } = filters
  const shown = useMemo(() => {
    // A column with the same value in all rows adds no information.
    const constant = [...(user_id ? ['user'] : []), ...(workspace_id ? ['workspace'] : [])]
    return [appColumn(hasLinks), ...columns.filter(({ id }) => !constant.includes(id))]
  }, [hasLinks, user_id, workspace_id])
  const grants = useQuery({
    ...grantsQuery({ ...filters, page, page_size: pageSize }),
    placeholderData: keepPreviousData,
  })
  return (
    <DataTable
      label="Connected apps"
      columns={shown}
      rows={grants.data?.items}
      rowId="id"
      error={grants.error}
      onRetry={() => grants.refetch()}
      isStale={grants.isPlaceholderData}
      toolbar={toolbar}
      tools={
        <>
          {tools}
          <CsvButton
            name="connected-apps"
            columns={csvColumns}
            rows={() => loadPages((paging) => fetchNow(grantsQuery({ ...filters, ...paging })))}
          />
        </>
      }
      empty={
        onClear ? (
          <EmptyState
            icon="search"
            title="No app matches"
            action={
              <Button variant="default" onClick={onClear}>
                Clear the filters
              </Button>
            }
          >
            Client IDs, hosts and APIs must match exactly.
          </EmptyState>
        ) : (
          <EmptyState icon="share" title="No connected apps yet">
            Apps appear here once a person has agreed to their access.
          </EmptyState>
        )
      }
      paging={{
        page,
        total: grants.data?.total ?? 0,
        pageSize,
        onPage: setPage,
        onPageSize: (size) => {
          setPageSize(size)
          setPage(1)
        },
      }}
    />
  )
}

/** The host stands first, because clients that nobody registered choose their own names. */
function appColumn(hasLinks: boolean): Column<Grant> {
  return {
    id: 'app',
    header: 'App',
    cell: ({ client_id, client_name, host }) => (
      <span className={classes.stack}>
        {hasLinks ? (
          <RowLink to="/connected-apps" search={{ host }} className="strong-link">
            {host}
          </RowLink>
        ) : (
          <span className={classes.host}>{host}</span>
        )}
        {client_name && (
          <span className={classes.detail}>
            {isClientUrl(client_id) ? (
              <>
                calls itself “<bdi>{client_name}</bdi>”
              </>
            ) : (
              <>
                client app <bdi>{client_name}</bdi>
              </>
            )}
          </span>
        )}
        {hasLinks ? (
          <RowLink to="/connected-apps" search={{ client_id }} className="link mono">
            {client_id}
          </RowLink>
        ) : (
          <span className="mono">{client_id}</span>
        )}
      </span>
    ),
  }
}
