import { Button } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import { fetchNow } from '../api/query-client.ts'
import { CommittedInput } from '../ui/committed-input.tsx'
import { CopyIcon } from '../ui/copy.tsx'
import type { CsvColumn } from '../ui/csv.ts'
import { CsvButton } from '../ui/csv-button.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { FilterSelect } from '../ui/filter-select.tsx'
import { loadPages } from '../ui/load-rows.ts'
import { Name } from '../ui/name.tsx'
import { usePreference } from '../ui/preferences.ts'
import { RowLink } from '../ui/row-link.tsx'
import { EmptyState } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { VisibilityOf } from './effective-visibility.tsx'
import {
  keyOf,
  type ResourceFilters,
  type ResourceSummary,
  resourcesQuery,
  titleOf,
} from './resource-queries.ts'
import classes from './resource-table.module.css'

const columns: Column<ResourceSummary>[] = [
  {
    id: 'resource',
    header: 'Resource',
    cell: ({ id, resource_type, ...resource }) => (
      <span className={classes.resource}>
        <RowLink
          to="/resources/$permissionId"
          params={{ permissionId: id }}
          className="strong-link"
        >
          <bdi>{titleOf(resource)}</bdi>
        </RowLink>
        <span className={classes.detail}>
          {resource_type}
          {resource.display_name !== null && <code>{keyOf(resource)}</code>}
          <CopyIcon value={keyOf(resource)} label="Copy ID" />
        </span>
      </span>
    ),
  },
  { id: 'service', header: 'Service', cell: ({ service_name }) => service_name },
  {
    id: 'workspace',
    header: 'Workspace',
    cell: ({ workspace_id }) => <Name id={workspace_id} />,
  },
  { id: 'owner', header: 'Owner', cell: ({ owner_id }) => <Name id={owner_id} /> },
  {
    id: 'visibility',
    header: 'Visibility',
    cell: (resource) => <VisibilityOf resource={resource} />,
  },
  { id: 'shares', header: 'Shares', align: 'right', cell: ({ share_count }) => share_count },
  {
    id: 'created',
    header: 'Registered',
    isOptional: true,
    cell: ({ created_at }) => <Time value={created_at} />,
  },
]

const csvColumns: CsvColumn<ResourceSummary>[] = [
  'id',
  'service_name',
  'resource_type',
  'resource_id',
  'external_id',
  'workspace_id',
  'owner_id',
  'visibility',
  'effective_visibility',
  'share_count',
  'created_at',
]

type Props = {
  filter: ResourceFilters
  /**
   * The page number in the address. If undefined, a table that is part of another page stores its
   * own.
   */
  page?: number
  onPage?: (page: number) => void
  toolbar?: ReactNode
  /** Buttons beside the download. */
  tools?: ReactNode
  onClear?: (() => void) | undefined
}

/** Shows the resources that match a filter. */
export function ResourceTable({
  filter,
  page: controlledPage,
  onPage,
  toolbar,
  tools,
  onClear,
}: Props) {
  const [ownPage, setOwnPage] = useState(1)
  const [pageSize, setPageSize] = usePreference('page-size.resources', 20)
  const { workspace_id, owner_id } = filter
  // Columns with the same value in all rows are hidden, because they add no information.
  const visible = useMemo(
    () => columns.filter(({ id }) => !isSame(id, { workspace_id, owner_id })),
    [workspace_id, owner_id],
  )
  const page = controlledPage ?? ownPage
  const setPage = onPage ?? setOwnPage
  const resources = useQuery({
    ...resourcesQuery({ ...filter, page, page_size: pageSize }),
    placeholderData: keepPreviousData,
  })
  return (
    <DataTable
      label="Resources"
      columns={visible}
      rows={resources.data?.items}
      rowId="id"
      error={resources.error}
      onRetry={() => resources.refetch()}
      isStale={resources.isPlaceholderData}
      toolbar={toolbar}
      tools={
        <>
          {tools}
          <CsvButton
            name="resources"
            columns={csvColumns}
            rows={() => loadPages((paging) => fetchNow(resourcesQuery({ ...filter, ...paging })))}
          />
        </>
      }
      empty={
        onClear ? (
          <EmptyState
            icon="search"
            title="No resource matches"
            action={
              <Button variant="default" onClick={onClear}>
                Clear the filters
              </Button>
            }
          />
        ) : (
          <EmptyState icon="file" title="No resources yet">
            Services register their resources at POST /permissions/register.
          </EmptyState>
        )
      }
      paging={{
        page,
        total: resources.data?.total ?? 0,
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

/**
 * Whether all rows have the same value in a column, because the table is on the page of that value.
 */
function isSame(column: string, { workspace_id, owner_id }: ResourceFilters): boolean {
  return (column === 'workspace' && !!workspace_id) || (column === 'owner' && !!owner_id)
}

/** Filters a list by service, type, ID and visibility. */
export function ResourceFilterFields({
  value,
  onChange,
}: {
  value: ResourceFilters
  onChange: (change: ResourceFilters) => void
}) {
  return (
    <>
      <CommittedInput
        label="Resource ID"
        value={value.external_id}
        onCommit={(external_id) => onChange({ external_id })}
      />
      <CommittedInput
        label="Service"
        value={value.service_name}
        onCommit={(service_name) => onChange({ service_name })}
      />
      <CommittedInput
        label="Type"
        value={value.resource_type}
        onCommit={(resource_type) => onChange({ resource_type })}
      />
      <FilterSelect
        label="Visibility"
        placeholder="Any visibility"
        options={[
          { value: 'private', label: 'Private' },
          { value: 'workspace', label: 'Workspace' },
          { value: 'public', label: 'Public' },
        ]}
        value={value.visibility}
        onChange={(visibility) => onChange({ visibility })}
        w={150}
      />
    </>
  )
}
