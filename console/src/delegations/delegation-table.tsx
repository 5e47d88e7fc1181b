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
import { EmptyState } from '../ui/states.tsx'
import { Day, Time } from '../ui/time.tsx'
import { CoverageText } from './coverage.tsx'
import {
  type Delegation,
  type DelegationFilters,
  delegationsQuery,
  endDelegation,
} from './delegation-queries.ts'
import classes from './delegation-table.module.css'
import { shownText } from './shown-text.ts'

/** The number of resources that a row names. */
const namedResources = 3

const agentTypes: Record<string, string> = {
  service_account: 'Service account',
  client: 'Client app',
}

const columns: Column<Delegation>[] = [
  {
    id: 'agent',
    header: 'Agent',
    cell: ({ agent: { id, type, name } }) => (
      <span className={`${classes.stack} ${classes.agent}`}>
        <Name id={id} fallback={name} />
        <span className={classes.detail}>{agentTypes[type] ?? type}</span>
      </span>
    ),
  },
  { id: 'user', header: 'Acts for', cell: ({ user_id }) => <Name id={user_id} /> },
  {
    id: 'workspace',
    header: 'Workspace',
    cell: ({ workspace_id }) => <Name id={workspace_id} />,
  },
  {
    id: 'coverage',
    header: 'What it may do',
    cell: (delegation) => (
      <span className={classes.stack}>
        <span>
          <CoverageText coverage={delegation} limit={namedResources} />
        </span>
        <span className={classes.detail}>
          Reason: <bdi>{shownText(delegation.reason, 500)}</bdi>
        </span>
      </span>
    ),
  },
  {
    id: 'expires',
    header: 'Ends',
    isNowrap: true,
    cell: ({ expires_at }) => <Time value={expires_at} />,
  },
  {
    id: 'used',
    header: 'Last used',
    isNowrap: true,
    cell: ({ last_used_at }) => <Day value={last_used_at} />,
  },
  {
    id: 'created',
    header: 'Made',
    isOptional: true,
    cell: ({ created_at }) => <Time value={created_at} />,
  },
  actionColumn((delegation) => (
    <RowAction
      label="End"
      name={`End the delegation to ${delegation.agent.name}`}
      confirmation={{
        title: `End the delegation to ${delegation.agent.name}?`,
        children: (
          <>
            Its next call for <Name id={delegation.user_id} /> is denied. Only this person can let
            it act again.
          </>
        ),
        action: 'End delegation',
        run: async () => {
          await endDelegation(delegation)
          notifyDone(`The delegation to ${delegation.agent.name} has ended.`)
        },
      }}
    />
  )),
]

const csvColumns: CsvColumn<Delegation>[] = [
  'id',
  ['agent_type', ({ agent }) => agent.type],
  ['agent_id', ({ agent }) => agent.id],
  ['agent_name', ({ agent }) => agent.name],
  'user_id',
  'workspace_id',
  'service_name',
  ['actions', ({ actions }) => actions?.join(' ')],
  ['resource_types', ({ resource_types }) => resource_types?.join(' ')],
  [
    'resources',
    ({ resources }) =>
      resources
        ?.map(({ resource_type, resource_id }) => `${resource_type}:${resource_id}`)
        .join(' '),
  ],
  'reason',
  'expires_at',
  'created_at',
  'last_used_at',
]

type Props = {
  filters: DelegationFilters
  /** The page number in the address. If undefined, a table that is part of another page stores its own. */
  page?: number
  onPage?: (page: number) => void
  toolbar?: ReactNode
  /** Buttons beside the download. */
  tools?: ReactNode
  onClear?: (() => void) | undefined
}

/** Shows the delegations that match the filters, newest first. */
export function DelegationTable({
  filters,
  page: controlledPage,
  onPage,
  toolbar,
  tools,
  onClear,
}: Props) {
  const [ownPage, setOwnPage] = useState(1)
  const [pageSize, setPageSize] = usePreference('page-size.delegations', 20)
  const page = controlledPage ?? ownPage
  const setPage = onPage ?? setOwnPage
  const { user_id, agent_id, workspace_id } = filters
  const shown = useMemo(() => {
    // A column with the same value in all rows adds no information.
    const constant = [
      ...(user_id ? ['user'] : []),
      ...(agent_id ? ['agent'] : []),
      ...(workspace_id ? ['workspace'] : []),
    ]
    return columns.filter(({ id }) => !constant.includes(id))
  }, [user_id, agent_id, workspace_id])
  const delegations = useQuery({
    ...delegationsQuery({ ...filters, page, page_size: pageSize }),
    placeholderData: keepPreviousData,
  })
  return (
    <DataTable
      label="Delegations"
      columns={shown}
      rows={delegations.data?.items}
      rowId="id"
      error={delegations.error}
      onRetry={() => delegations.refetch()}
      isStale={delegations.isPlaceholderData}
      toolbar={toolbar}
      tools={
        <>
          {tools}
          <CsvButton
            name="delegations"
            columns={csvColumns}
            rows={() =>
              loadPages((paging) => fetchNow(delegationsQuery({ ...filters, ...paging })))
            }
          />
        </>
      }
      empty={
        onClear ? (
          <EmptyState
            icon="search"
            title="No delegation matches"
            action={
              <Button variant="default" onClick={onClear}>
                Clear the filters
              </Button>
            }
          >
            Delegations that have ended are not listed.
          </EmptyState>
        ) : (
          <EmptyState icon="robot" title="No delegations">
            Delegations appear here once a person has let an agent act for them.
          </EmptyState>
        )
      }
      paging={{
        page,
        total: delegations.data?.total ?? 0,
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
