import { Button } from '@mantine/core'
import { useState } from 'react'
import { api, type Schemas, unwrap } from '../api/client.ts'
import { GuestBadge, RoleBadge } from '../ui/badges.tsx'
import { CsvButton } from '../ui/csv-button.tsx'
import { actionColumn, type Column, DataTable } from '../ui/data-table.tsx'
import { Name } from '../ui/name.tsx'
import { notifyDone } from '../ui/notify.ts'
import { Section } from '../ui/page.tsx'
import { RowAction } from '../ui/row-action.tsx'
import { RowLink } from '../ui/row-link.tsx'
import { EmptyState } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { UndeliveredInvitation } from '../workspaces/undelivered-invitation.tsx'
import { refreshWorkspaces } from '../workspaces/workspace-queries.ts'
import { MembershipForm } from './membership-form.tsx'
import { type Person, refreshPeople } from './people-queries.ts'

type Membership = Schemas['Membership']

/** Shows the workspaces, groups and custom roles of a person. */
export function PersonMemberships({ person }: { person: Person }) {
  const [isAdding, setAdding] = useState(false)
  const name = person.name || person.email

  async function remove({ workspace_id, workspace_name }: Membership) {
    const params = { path: { workspace_id, user_id: person.id } }
    await unwrap(api.DELETE('/admin/workspaces/{workspace_id}/members/{user_id}', { params }))
    await Promise.all([refreshPeople(), refreshWorkspaces()])
    notifyDone(`${name} is no longer a member of ${workspace_name}.`)
  }

  const columns: Column<Membership>[] = [
    {
      id: 'workspace',
      header: 'Workspace',
      cell: ({ workspace_id, workspace_name }) => (
        <RowLink
          to="/workspaces/$workspaceId"
          params={{ workspaceId: workspace_id }}
          className="strong-link"
        >
          <bdi>{workspace_name}</bdi>
        </RowLink>
      ),
    },
    {
      id: 'role',
      header: 'Role',
      cell: ({ role, guest }) => (guest ? <GuestBadge /> : <RoleBadge role={role} />),
    },
    {
      id: 'joined',
      header: 'Joined',
      cell: ({ joined_at, email_refusal }) =>
        email_refusal ? (
          <UndeliveredInvitation status={email_refusal} />
        ) : (
          <Time value={joined_at} empty="Invited" />
        ),
    },
    { id: 'ends', header: 'Ends', cell: ({ expires_at }) => <Time value={expires_at} /> },
    actionColumn((membership) => (
      <RowAction
        label="Remove"
        name={`Remove from ${membership.workspace_name}`}
        confirmation={{
          title: `Remove ${name} from ${membership.workspace_name}?`,
          children: `${name} loses the groups, custom roles and shares in this workspace.`,
          action: 'Remove',
          run: () => remove(membership),
        }}
      />
    )),
  ]

  const addButton = (
    <Button variant="default" size="xs" onClick={() => setAdding(true)}>
      Add to a workspace
    </Button>
  )
  return (
    <>
      <Section
        title="Workspaces"
        count={person.memberships.length}
        actions={
          <>
            <CsvButton
              name="memberships"
              columns={[
                'workspace_id',
                'workspace_name',
                'role',
                'guest',
                'joined_at',
                'expires_at',
              ]}
              rows={person.memberships}
              isSmall
            />
            {addButton}
          </>
        }
      >
        <DataTable
          label="Memberships"
          columns={columns}
          rows={person.memberships}
          rowId="workspace_id"
          empty={<EmptyState icon="building" title="Not a member of any workspace" />}
        />
      </Section>
      <Section title="Groups" count={person.groups.length}>
        <NameList ids={person.groups.map(({ id }) => id)} />
      </Section>
      <Section title="Custom roles" count={person.roles.length}>
        <NameList ids={person.roles.map(({ id }) => id)} />
      </Section>
      <MembershipForm
        userId={person.id}
        name={name}
        isOpen={isAdding}
        onClose={() => setAdding(false)}
      />
    </>
  )
}

function NameList({ ids }: { ids: string[] }) {
  if (ids.length === 0) return <p className="dimmed">None</p>
  return (
    <ul>
      {ids.map((id) => (
        <li key={id}>
          <Name id={id} />
        </li>
      ))}
    </ul>
  )
}
