import { Button, Textarea, TextInput } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { fetchNow } from '../api/query-client.ts'
import type { CsvColumn } from '../ui/csv.ts'
import { CsvButton } from '../ui/csv-button.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { FormModal } from '../ui/form.tsx'
import { loadPages } from '../ui/load-rows.ts'
import { Card, Page } from '../ui/page.tsx'
import { usePreference } from '../ui/preferences.ts'
import { RowLink } from '../ui/row-link.tsx'
import { SearchInput } from '../ui/search-input.tsx'
import { EmptyState } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { refreshWorkspaces, type Workspace, workspacesQuery } from './workspace-queries.ts'

const columns: Column<Workspace>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: ({ id, name }) => (
      <RowLink to="/workspaces/$workspaceId" params={{ workspaceId: id }} className="strong-link">
        <bdi>{name}</bdi>
      </RowLink>
    ),
  },
  { id: 'slug', header: 'Slug', cell: ({ slug }) => <span className="mono">{slug}</span> },
  {
    id: 'description',
    header: 'Description',
    cell: ({ description }) => <span className="dimmed">{description}</span>,
  },
  { id: 'created', header: 'Created', cell: ({ created_at }) => <Time value={created_at} /> },
]

const csvColumns: CsvColumn<Workspace>[] = ['id', 'slug', 'name', 'description', 'created_at']

export function WorkspacesPage() {
  const search = useSearch({ from: '/shell/workspaces' })
  const navigate = useNavigate({ from: '/workspaces' })
  const [isCreating, setCreating] = useState(false)
  const [pageSize, setPageSize] = usePreference('page-size.workspaces', 20)
  const page = search.page ?? 1
  const workspaces = useQuery({
    ...workspacesQuery({ q: search.q, page, page_size: pageSize }),
    placeholderData: keepPreviousData,
  })
  const createButton = <Button onClick={() => setCreating(true)}>New workspace</Button>

  return (
    <Page
      title="Workspaces"
      count={workspaces.data?.total}
      description="The tenants: people, groups and resources belong to them."
      actions={createButton}
    >
      <Card label="All workspaces">
        <DataTable
          label="Workspaces"
          columns={columns}
          rows={workspaces.data?.items}
          rowId="id"
          error={workspaces.error}
          onRetry={() => workspaces.refetch()}
          isStale={workspaces.isPlaceholderData}
          toolbar={
            <SearchInput
              label="Search names and slugs"
              value={search.q}
              onChange={(q) => navigate({ search: { q }, replace: true })}
            />
          }
          tools={
            <CsvButton
              name="workspaces"
              columns={csvColumns}
              rows={() =>
                loadPages((paging) => fetchNow(workspacesQuery({ q: search.q, ...paging })))
              }
            />
          }
          empty={
            search.q ? (
              <EmptyState
                icon="search"
                title="No workspace matches"
                action={
                  <Button variant="default" onClick={() => navigate({ search: {} })}>
                    Clear the search
                  </Button>
                }
              />
            ) : (
              <EmptyState icon="building" title="No workspaces yet" action={createButton}>
                Create one, or let people create their own when they sign in.
              </EmptyState>
            )
          }
          paging={{
            page,
            total: workspaces.data?.total ?? 0,
            pageSize,
            onPage: (page) =>
              navigate({ search: { ...search, page: page === 1 ? undefined : page } }),
            onPageSize: (size) => {
              setPageSize(size)
              void navigate({ search: { ...search, page: undefined } })
            },
          }}
        />
      </Card>
      <CreateWorkspace isOpen={isCreating} onClose={() => setCreating(false)} />
    </Page>
  )
}

function CreateWorkspace({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const navigate = useNavigate()
  return (
    <FormModal
      title="New workspace"
      action="Create"
      isOpen={isOpen}
      onClose={onClose}
      initialValues={{ name: '', slug: '', description: '' }}
      send={async ({ description, ...values }) => {
        const body = { ...values, ...(description && { description }) }
        const { id } = await unwrap(api.POST('/admin/workspaces', { body }))
        await refreshWorkspaces()
        await navigate({ to: '/workspaces/$workspaceId', params: { workspaceId: id } })
      }}
    >
      {(form) => (
        <>
          <TextInput
            label="Name"
            data-autofocus
            {...form.getInputProps('name')}
            onBlur={() => {
              if (!form.values.slug) form.setFieldValue('slug', toSlug(form.values.name))
            }}
          />
          <TextInput
            label="Slug"
            description="The unique name in addresses: lower-case letters, digits and hyphens. It cannot be changed."
            mt="md"
            {...form.getInputProps('slug')}
          />
          <Textarea label="Description" mt="md" {...form.getInputProps('description')} />
        </>
      )}
    </FormModal>
  )
}

function toSlug(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 63)
}
