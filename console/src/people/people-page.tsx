import { Button, Checkbox } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { memo } from 'react'
import type { Schemas } from '../api/client.ts'
import { fetchNow } from '../api/query-client.ts'
import { hasFeature } from '../settings.ts'
import { AdministratorBadge, PersonBadge } from '../ui/badges.tsx'
import type { CsvColumn } from '../ui/csv.ts'
import { CsvButton } from '../ui/csv-button.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { FilterSelect } from '../ui/filter-select.tsx'
import { loadPages } from '../ui/load-rows.ts'
import { Card, Page } from '../ui/page.tsx'
import { PersonCell } from '../ui/person.tsx'
import { usePreference } from '../ui/preferences.ts'
import { SavedFilters } from '../ui/saved-filters.tsx'
import { SearchInput } from '../ui/search-input.tsx'
import { useSelection } from '../ui/selection.tsx'
import { EmptyState } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { BulkPeople } from './bulk-people.tsx'
import classes from './people-page.module.css'
import { peopleQuery } from './people-queries.ts'

const columns: Column<Schemas['UserSummary']>[] = [
  { id: 'person', header: 'Person', cell: (user) => <PersonCell {...user} /> },
  {
    id: 'status',
    header: 'Status',
    cell: (user) => (
      <span className={classes.status}>
        <PersonBadge person={user} />
        {user.is_admin && <AdministratorBadge />}
      </span>
    ),
  },
  {
    id: 'last-sign-in',
    header: 'Last sign-in',
    cell: (user) => <Time value={user.last_sign_in_at} relative />,
  },
  { id: 'created', header: 'Created', cell: (user) => <Time value={user.created_at} /> },
  {
    id: 'external-id',
    header: 'External ID',
    isOptional: true,
    cell: (user) => user.external_id ?? <span className="dimmed">None</span>,
  },
]

const csvColumns: CsvColumn<Schemas['UserSummary']>[] = [
  'id',
  'email',
  'name',
  'external_id',
  'is_active',
  'is_admin',
  'last_sign_in_at',
  'created_at',
]

function nameOf({ name, email }: Schemas['UserSummary']): string {
  return name || email
}

const statuses = [
  { value: 'active', label: 'Active' },
  { value: 'invited', label: 'Invited' },
  { value: 'deactivated', label: 'Deactivated' },
]

/** Returns the filter that selects the people with a status, as `PersonBadge` shows it. */
function toStatusFilter(status: string | undefined) {
  if (status === undefined) return {}
  if (status === 'deactivated') return { is_active: false }
  return { is_active: true, has_signed_in: status === 'active' }
}

export function PeoplePage() {
  const search = useSearch({ from: '/shell/people' })
  const navigate = useNavigate({ from: '/people' })
  const [pageSize, setPageSize] = usePreference('page-size.people', 20)
  const page = search.page ?? 1
  const listFilters = {
    q: search.q,
    ...toStatusFilter(search.status),
    is_admin: search.administrators,
  }
  const people = useQuery({
    ...peopleQuery({ ...listFilters, page, page_size: pageSize }),
    placeholderData: keepPreviousData,
  })

  const filters = {
    q: search.q,
    status: search.status,
    administrators: search.administrators,
  }
  const selection = useSelection(JSON.stringify(filters), nameOf)
  const loadRows = () => loadPages((paging) => fetchNow(peopleQuery({ ...listFilters, ...paging })))
  const isFiltered = Boolean(search.q || search.status || search.administrators)

  return (
    <Page
      title="People"
      count={people.data?.total}
      description="Everyone who has signed in or has been invited."
      actions={
        hasFeature('csv-import') && (
          <Button component={Link} to="/import" variant="default">
            Import CSV
          </Button>
        )
      }
    >
      <Card label="All people">
        <DataTable
          label="People"
          columns={columns}
          rows={people.data?.items}
          rowId="id"
          error={people.error}
          onRetry={() => people.refetch()}
          isStale={people.isPlaceholderData}
          toolbar={<Filters />}
          tools={
            <>
              <SavedFilters
                list="people"
                filters={filters}
                onApply={(filters) => navigate({ search: filters })}
              />
              <CsvButton name="people" columns={csvColumns} rows={loadRows} />
            </>
          }
          selection={selection}
          loadRows={loadRows}
          selectionActions={<BulkPeople selection={selection} />}
          empty={
            isFiltered ? (
              <EmptyState
                icon="search"
                title="No people match"
                action={
                  <Button variant="default" onClick={() => navigate({ search: {} })}>
                    Clear the filters
                  </Button>
                }
              >
                The search looks for parts of names and e-mail addresses.
              </EmptyState>
            ) : (
              <EmptyState icon="users" title="No people yet">
                People appear here when they sign in, are invited or are imported.
              </EmptyState>
            )
          }
          paging={{
            page,
            total: people.data?.total ?? 0,
            pageSize,
            onPage: (page) =>
              navigate({ search: { ...search, page: page === 1 ? undefined : page } }),
            onPageSize: (size) => {
              setPageSize(size)
              void navigate({ search: { ...search, page: undefined }, replace: true })
            },
          }}
        />
      </Card>
    </Page>
  )
}

/** Memoized, so that the filters do not render again when only the page number changes. */
const Filters = memo(function Filters() {
  const filters = useSearch({
    from: '/shell/people',
    select: ({ page: _, ...filters }) => filters,
    structuralSharing: true,
  })
  const navigate = useNavigate({ from: '/people' })

  /** Changes a filter and returns to the first page. */
  function filter(change: typeof filters) {
    void navigate({
      search: (previous) => ({ ...previous, page: undefined, ...change }),
      replace: true,
    })
  }
  return (
    <>
      <SearchInput
        label="Search names and e-mail addresses"
        value={filters.q}
        onChange={(q) => filter({ q })}
      />
      <FilterSelect
        label="Status"
        placeholder="Any status"
        options={statuses}
        value={filters.status}
        onChange={(status) => filter({ status })}
        w={160}
      />
      <Checkbox
        label="Administrators only"
        checked={filters.administrators ?? false}
        onChange={(event) => filter({ administrators: event.currentTarget.checked || undefined })}
        style={{ alignSelf: 'center', width: 'auto' }}
      />
    </>
  )
})
