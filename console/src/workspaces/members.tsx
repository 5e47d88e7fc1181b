import { Button, TextInput } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { refreshPeople } from '../people/people-queries.ts'
import { Badge } from '../ui/badges.tsx'
import { actionColumn, type Column, DataTable } from '../ui/data-table.tsx'
import { FormModal } from '../ui/form.tsx'
import { NativeSelect } from '../ui/native-select.tsx'
import { notifyDone, notifyFailure } from '../ui/notify.ts'
import { Section } from '../ui/page.tsx'
import { PersonCell } from '../ui/person.tsx'
import { RowAction } from '../ui/row-action.tsx'
import { SearchInput } from '../ui/search-input.tsx'
import { Select } from '../ui/select.tsx'
import { EmptyState } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { describeRole, roles } from './roles.ts'
import {
  type Member,
  maxListedMembers,
  membersQuery,
  refreshWorkspaces,
  type Workspace,
} from './workspace-queries.ts'

/** Shows the members of a workspace, including invited users. */
export function Members({ workspace }: { workspace: Workspace }) {
  const { q, tab } = useSearch({ from: '/shell/workspaces/$workspaceId' })
  const navigate = useNavigate({ from: '/workspaces/$workspaceId' })
  const [isInviting, setInviting] = useState(false)
  const members = useQuery({
    ...membersQuery(workspace.id, q),
    placeholderData: keepPreviousData,
  })

  // Memoized, so that the rows do not render again with the page.
  const columns = useMemo(() => createColumns(workspace), [workspace])
  const rows = useMemo(() => members.data && sortByName(members.data), [members.data])
  const listed = rows?.length ?? 0
  return (
    <Section
      title="Members"
      description={
        listed >= maxListedMembers
          ? `The first ${maxListedMembers} are shown. Search to find others.`
          : undefined
      }
      actions={
        <Button size="xs" onClick={() => setInviting(true)}>
          Invite
        </Button>
      }
    >
      <DataTable
        label="Members"
        columns={columns}
        rows={rows}
        rowId="user_id"
        error={members.error}
        onRetry={() => members.refetch()}
        isStale={members.isPlaceholderData}
        toolbar={
          <SearchInput
            label="Search members"
            value={q}
            onChange={(q) => navigate({ search: { tab, q }, replace: true })}
          />
        }
        empty={
          q ? (
            <EmptyState icon="search" title="No member matches" />
          ) : (
            <EmptyState icon="users" title="No members yet">
              Invite people by their e-mail addresses.
            </EmptyState>
          )
        }
      />
      <InviteMember workspace={workspace} isOpen={isInviting} onClose={() => setInviting(false)} />
    </Section>
  )
}

function createColumns(workspace: Workspace): Column<Member>[] {
  async function changeRole({ user_id, name, email }: Member, role: string) {
    const params = { path: { workspace_id: workspace.id, user_id } }
    const body = { role: role as 'viewer' }
    try {
      await unwrap(
        api.PATCH('/admin/workspaces/{workspace_id}/members/{user_id}', { params, body }),
      )
      notifyDone(`${name || email} now has the role ${describeRole(role)}.`)
    } catch (error) {
      notifyFailure(error)
    }
    await Promise.all([refreshWorkspaces(), refreshPeople()])
  }

  async function remove({ user_id, name, email }: Member) {
    const params = { path: { workspace_id: workspace.id, user_id } }
    await unwrap(api.DELETE('/admin/workspaces/{workspace_id}/members/{user_id}', { params }))
    await Promise.all([refreshWorkspaces(), refreshPeople()])
    notifyDone(`${name || email} was removed.`)
  }

  return [
    {
      id: 'person',
      header: 'Person',
      cell: ({ user_id, name, email }) => <PersonCell id={user_id} name={name} email={email} />,
    },
    {
      id: 'role',
      header: 'Role',
      cell: (member) => (
        <NativeSelect
          label={`Role of ${member.name || member.email}`}
          options={roles}
          value={member.role}
          onChange={(role) => changeRole(member, role)}
        />
      ),
    },
    {
      id: 'joined',
      header: 'Joined',
      cell: ({ status, joined_at }) =>
        status === 'invited' ? <Badge color="yellow">Invited</Badge> : <Time value={joined_at} />,
    },
    actionColumn((member) => (
      <RowAction
        label="Remove"
        name={`Remove ${member.name || member.email}`}
        confirmation={{
          title: `Remove ${member.name || member.email} from ${workspace.name}?`,
          children:
            'They lose their groups, custom roles and shares in this workspace, and access to its resources at once.',
          action: 'Remove',
          run: () => remove(member),
        }}
      />
    )),
  ]
}

/** Sorts members by name, because the server orders them by ID. */
function sortByName(members: Member[]): Member[] {
  return members.toSorted((a, b) => (a.name || a.email).localeCompare(b.name || b.email))
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
  return (
    <FormModal
      title={`Invite to ${workspace.name}`}
      action="Invite"
      isOpen={isOpen}
      onClose={onClose}
      initialValues={{ email: '', role: 'viewer' }}
      send={async ({ email, role }) => {
        const params = { path: { workspace_id: workspace.id } }
        const body = { email, role: role as 'viewer' }
        await unwrap(api.POST('/admin/workspaces/{workspace_id}/members/invite', { params, body }))
        await Promise.all([refreshWorkspaces(), refreshPeople()])
        notifyDone(`${email} was invited.`)
      }}
    >
      {(form) => (
        <>
          <TextInput
            label="E-mail address"
            type="email"
            description="daikon sends no mail. The person joins by signing in with this address."
            data-autofocus
            {...form.getInputProps('email')}
          />
          <Select label="Role" options={roles} mt="md" {...form.getInputProps('role')} />
        </>
      )}
    </FormModal>
  )
}
