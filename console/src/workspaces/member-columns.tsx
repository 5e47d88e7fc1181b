import { api, unwrap } from '../api/client.ts'
import { refreshPeople } from '../people/people-queries.ts'
import { Badge, RoleBadge } from '../ui/badges.tsx'
import { Countdown } from '../ui/countdown.tsx'
import { actionColumn, type Column } from '../ui/data-table.tsx'
import { NativeSelect } from '../ui/native-select.tsx'
import { notifyDone, notifyFailure } from '../ui/notify.ts'
import { RowAction } from '../ui/row-action.tsx'
import { Time } from '../ui/time.tsx'
import { EditMembership } from './edit-membership.tsx'
import { MemberCell } from './member-cell.tsx'
import { mayManage, rolesToGive } from './member-rules.ts'
import { describeRole } from './roles.ts'
import { UndeliveredInvitation } from './undelivered-invitation.tsx'
import { type Member, refreshWorkspaces, type Workspace } from './workspace-queries.ts'

/** Creates the columns of the members of a workspace. */
export function createColumns(workspace: Workspace): Column<Member>[] {
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
      cell: (member) => <MemberCell member={member} />,
    },
    {
      id: 'role',
      header: 'Role',
      cell: (member) =>
        mayManage(workspace, member) && !member.support && !member.guest ? (
          <NativeSelect
            label={`Role of ${member.name || member.email}`}
            options={rolesToGive(workspace)}
            value={member.role}
            onChange={(role) => changeRole(member, role)}
          />
        ) : (
          <RoleBadge role={member.role} />
        ),
    },
    {
      id: 'joined',
      header: 'Joined',
      cell: ({ status, joined_at, email_refusal }) =>
        status !== 'invited' ? (
          <Time value={joined_at} />
        ) : email_refusal ? (
          <UndeliveredInvitation status={email_refusal} />
        ) : (
          <Badge color="yellow">Invited</Badge>
        ),
    },
    {
      id: 'ends',
      header: 'Ends',
      cell: (member) =>
        member.support && member.expires_at ? (
          <Countdown until={member.expires_at} />
        ) : (
          <Time value={member.expires_at} />
        ),
    },
    actionColumn((member) =>
      !mayManage(workspace, member) ? null : member.support ? (
        <RowAction
          label="End"
          name={`End the support access of ${member.name || member.email}`}
          confirmation={{
            title: `End the support access of ${member.name || member.email}?`,
            children: 'They lose access to the workspace immediately.',
            action: 'End access',
            run: () => remove(member),
          }}
        />
      ) : (
        <>
          <EditMembership member={member} workspace={workspace} />
          <RowAction
            label="Remove"
            name={`Remove ${member.name || member.email}`}
            confirmation={{
              title: `Remove ${member.name || member.email} from ${workspace.name}?`,
              children:
                'They lose their groups, custom roles and shares in this workspace, and access to its resources immediately.',
              action: 'Remove',
              run: () => remove(member),
            }}
          />
        </>
      ),
    ),
  ]
}
