import { Button, TextInput } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { fetchNow } from '../api/query-client.ts'
import { isWorkspaceConsole } from '../console-kind.ts'
import { refreshPeople } from '../people/people-queries.ts'
import type { CsvColumn } from '../ui/csv.ts'
import { CsvButton } from '../ui/csv-button.tsx'
import { DataTable } from '../ui/data-table.tsx'
import { FilterSelect } from '../ui/filter-select.tsx'
import { FormModal } from '../ui/form.tsx'
import { loadPages } from '../ui/load-rows.ts'
import { notifyDone } from '../ui/notify.ts'
import { Section } from '../ui/page.tsx'
import { usePreference } from '../ui/preferences.ts'
import { SavedFilters } from '../ui/saved-filters.tsx'
import { SearchInput } from '../ui/search-input.tsx'
import { Select } from '../ui/select.tsx'
import { useSelection } from '../ui/selection.tsx'
import { EmptyState } from '../ui/states.tsx'
import { BulkMembers } from './bulk-members.tsx'
import { GuestSwitch } from './guest-switch.tsx'
import { InvitationLink } from './invitation-link.tsx'
import { createColumns } from './member-columns.tsx'
import { EndInput, fromLocalInput } from './member-end.tsx'
import { rolesToGive } from './member-rules.ts'
import { guest, roles } from './roles.ts'
import { SupportAccess } from './support-access.tsx'
import {
  type Member,
  membersQuery,
  refreshWorkspaces,
  type Workspace,
} from './workspace-queries.ts'
import { useWorkspaceSearch } from './workspace-search.ts'

const csvColumns: CsvColumn<Member>[] = [
  'user_id',
  'email',
  'name',
  'role',
  'guest',
  'kind',
  'support',
  'status',
  'joined_at',
  'expires_at',
  'email_refusal',
]

function nameOf({ name, email }: Member): string {
  return name || email
}

/** Shows the members of a workspace, including invited users. */
export function Members({ workspace }: { workspace: Workspace }) {
  const { search: all, navigate } = useWorkspaceSearch()
  const { group: _, account: __, ...search } = all
  const { q, role, page = 1 } = search
  const [isInviting, setInviting] = useState(false)
  const [pageSize, setPageSize] = usePreference('page-size.members', 20)
  const members = useQuery({
    ...membersQuery(workspace.id, { q, role, page, page_size: pageSize }),
    placeholderData: keepPreviousData,
  })

  const selection = useSelection(JSON.stringify([workspace.id, q, role]), nameOf)
  const loadRows = () =>
    loadPages((paging) => fetchNow(membersQuery(workspace.id, { q, role, ...paging })))
  // Memoized, so that the rows do not render again with the page.
  const columns = useMemo(() => createColumns(workspace), [workspace])

  /** Changes a filter and returns to the first page. */
  function filter(change: Partial<typeof search>) {
    void navigate({
      search: (previous) => ({ ...previous, group: undefined, page: undefined, ...change }),
      replace: true,
    })
  }
  return (
    <Section
      title="Members"
      count={members.data?.total}
      actions={
        <>
          {!isWorkspaceConsole && <SupportAccess workspace={workspace} />}
          <Button size="xs" onClick={() => setInviting(true)}>
            Invite
          </Button>
        </>
      }
    >
      <DataTable
        label="Members"
        columns={columns}
        rows={members.data?.items}
        rowId="user_id"
        error={members.error}
        onRetry={() => members.refetch()}
        isStale={members.isPlaceholderData}
        toolbar={
          <>
            <SearchInput label="Search members" value={q} onChange={(q) => filter({ q })} />
            <FilterSelect
              label="Role"
              placeholder="Any role"
              options={[...roles, guest]}
              value={role}
              onChange={(role) => filter({ role })}
              w={150}
            />
          </>
        }
        tools={
          <>
            <SavedFilters
              list="members"
              filters={{ q, role }}
              onApply={({ q, role }) => filter({ q, role })}
            />
            <CsvButton name="members" columns={csvColumns} rows={loadRows} />
          </>
        }
        selection={selection}
        loadRows={loadRows}
        selectionActions={<BulkMembers workspace={workspace} selection={selection} />}
        empty={
          q || role ? (
            <EmptyState
              icon="search"
              title="No member matches"
              action={
                <Button variant="default" onClick={() => filter({ q: undefined, role: undefined })}>
                  Clear the filters
                </Button>
              }
            />
          ) : (
            <EmptyState icon="users" title="No members yet">
              Invite people by their e-mail addresses.
            </EmptyState>
          )
        }
        paging={{
          page,
          total: members.data?.total ?? 0,
          pageSize,
          onPage: (page) => navigate({ search: { ...search, page: page > 1 ? page : undefined } }),
          onPageSize: (size) => {
            setPageSize(size)
            filter({})
          },
        }}
      />
      <InviteMember workspace={workspace} isOpen={isInviting} onClose={() => setInviting(false)} />
    </Section>
  )
}

function InviteMember({
  workspace,
  isOpen,
  onClose,
}: {
  workspace: Workspace
  isOpen: boolean
  onClose: () => void
}) {
  const [link, setLink] = useState<string>()
  return (
    <>
      <InvitationLink url={link} onClose={() => setLink(undefined)} />
      <FormModal
        title={`Invite to ${workspace.name}`}
        action="Invite"
        isOpen={isOpen}
        onClose={onClose}
        initialValues={{ email: '', role: 'viewer', guest: false, expires_at: '' }}
        send={async ({ email, role, guest, expires_at }) => {
          const params = { path: { workspace_id: workspace.id } }
          const end = fromLocalInput(expires_at)
          const body = {
            email,
            ...(guest ? { guest } : { role: role as 'viewer' }),
            ...(end && { expires_at: end }),
          }
          const path = '/admin/workspaces/{workspace_id}/members/invite'
          const { invitation_url } = await unwrap(api.POST(path, { params, body }))
          await Promise.all([refreshWorkspaces(), refreshPeople()])
          notifyDone(`${email} was invited.`)
          setLink(invitation_url ?? undefined)
        }}
      >
        {(form) => (
          <>
            <TextInput
              label="E-mail address"
              type="email"
              description="The person joins by signing in with this address."
              data-autofocus
              {...form.getInputProps('email')}
            />
            <Select
              label="Role"
              options={rolesToGive(workspace)}
              mt="md"
              {...form.getInputProps('role')}
              {...(form.values.guest && { value: 'viewer', disabled: true })}
            />
            <GuestSwitch
              workspaceId={workspace.id}
              {...form.getInputProps('guest', { type: 'checkbox' })}
            />
            <EndInput mt="md" {...form.getInputProps('expires_at')} />
          </>
        )}
      </FormModal>
    </>
  )
}
