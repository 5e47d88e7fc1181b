import { Button } from '@mantine/core'
import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { refreshPeople } from '../people/people-queries.ts'
import { BulkDialog } from '../ui/bulk-dialog.tsx'
import { Select } from '../ui/select.tsx'
import { keepSelected, type Selection } from '../ui/selection.tsx'
import { rolesToGive } from './member-rules.ts'
import { describeRole } from './roles.ts'
import { type Member, refreshWorkspaces, type Workspace } from './workspace-queries.ts'

type Change = { user_ids: string[]; role?: 'viewer'; remove?: boolean }

type Props = { workspace: Workspace; selection: Selection<Member> }

/** The actions on selected members of a workspace. */
export function BulkMembers({ workspace, selection }: Props) {
  const [open, setOpen] = useState<'role' | 'remove'>()
  const [role, setRole] = useState('viewer')
  const members = [...selection.rows.values()].map(({ user_id, name, email }) => ({
    id: user_id,
    name: name || email,
  }))
  const dialog = {
    items: members,
    onClose: () => setOpen(undefined),
    onDone: async (failedIds: string[]) => {
      keepSelected(selection, failedIds)
      await Promise.all([refreshWorkspaces(), refreshPeople()])
    },
  }
  const count = countMembers(members.length)
  function update(body: Change) {
    const params = { path: { workspace_id: workspace.id } }
    return unwrap(api.POST('/admin/workspaces/{workspace_id}/members/batch', { params, body }))
  }
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpen('role')}>
        Change role
      </Button>
      <Button size="xs" variant="default" onClick={() => setOpen('remove')}>
        Remove
      </Button>
      <BulkDialog
        {...dialog}
        title={`Change the role of ${count}`}
        action="Change"
        isOpen={open === 'role'}
        run={(user_ids) => update({ user_ids, role: role as 'viewer' })}
        describeDone={(done) => `${countMembers(done)} with the role ${describeRole(role)}.`}
      >
        <Select
          label="Role"
          description={`The role takes effect in ${workspace.name} immediately.`}
          options={rolesToGive(workspace)}
          value={role}
          onChange={(role) => setRole(role ?? 'viewer')}
        />
      </BulkDialog>
      <BulkDialog
        {...dialog}
        title={`Remove ${count} from ${workspace.name}?`}
        action="Remove"
        isDestructive
        isOpen={open === 'remove'}
        run={(user_ids) => update({ user_ids, remove: true })}
        describeDone={(done) => `${countMembers(done)} removed.`}
      >
        They lose their groups, custom roles and shares in this workspace, and access to its
        resources immediately.
      </BulkDialog>
    </>
  )
}

function countMembers(count: number): string {
  return count === 1 ? '1 member' : `${count.toLocaleString()} members`
}
