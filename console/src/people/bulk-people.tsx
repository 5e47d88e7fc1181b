import { Button } from '@mantine/core'
import { useState } from 'react'
import { api, type Schemas, unwrap } from '../api/client.ts'
import { BulkDialog } from '../ui/bulk-dialog.tsx'
import { Select } from '../ui/select.tsx'
import { keepSelected, type Selection } from '../ui/selection.tsx'
import { roles } from '../workspaces/roles.ts'
import { WorkspacePicker } from '../workspaces/workspace-picker.tsx'
import { refreshWorkspaces } from '../workspaces/workspace-queries.ts'
import { refreshPeople } from './people-queries.ts'

type Person = Schemas['UserSummary']

/** The actions on selected people. */
export function BulkPeople({ selection }: { selection: Selection<Person> }) {
  const [open, setOpen] = useState<'activate' | 'deactivate' | 'workspace'>()
  const [workspaceId, setWorkspaceId] = useState<string | null>(null)
  const [role, setRole] = useState('viewer')
  const people = [...selection.rows.values()].map(({ id, name, email }) => ({
    id,
    name: name || email,
  }))
  const dialog = {
    items: people,
    onClose: () => setOpen(undefined),
    onDone: async (failedIds: string[]) => {
      keepSelected(selection, failedIds)
      await Promise.all([refreshPeople(), refreshWorkspaces()])
    },
  }
  const count = countPeople(people.length)
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpen('workspace')}>
        Add to a workspace
      </Button>
      <Button size="xs" variant="default" onClick={() => setOpen('activate')}>
        Activate
      </Button>
      <Button size="xs" variant="default" onClick={() => setOpen('deactivate')}>
        Deactivate
      </Button>
      <BulkDialog
        {...dialog}
        title={`Activate ${count}?`}
        action="Activate"
        isOpen={open === 'activate'}
        run={(user_ids) => updateUsers({ user_ids, is_active: true })}
        describeDone={(done) => `${countPeople(done)} can sign in again.`}
      >
        They can sign in again. People who are active already stay as they are.
      </BulkDialog>
      <BulkDialog
        {...dialog}
        title={`Deactivate ${count}?`}
        action="Deactivate"
        isDestructive
        isOpen={open === 'deactivate'}
        run={(user_ids) => updateUsers({ user_ids, is_active: false })}
        describeDone={(done) => `${countPeople(done)} deactivated.`}
      >
        All their sessions end now, and new sign-ins are refused. Memberships and resources remain.
      </BulkDialog>
      <BulkDialog
        {...dialog}
        title={`Add ${count} to a workspace`}
        action="Add"
        isOpen={open === 'workspace'}
        isReady={workspaceId !== null}
        run={(user_ids) => addMembers(workspaceId ?? '', { user_ids, role: role as 'viewer' })}
        describeDone={(done) => `${countPeople(done)} added.`}
      >
        <WorkspacePicker label="Workspace" value={workspaceId} onChange={setWorkspaceId} />
        <Select
          label="Role"
          description="Members of the workspace keep their role and are reported."
          options={roles}
          value={role}
          onChange={(role) => setRole(role ?? 'viewer')}
          mt="md"
        />
      </BulkDialog>
    </>
  )
}

function updateUsers(body: Schemas['UpdateUsersRequest']) {
  return unwrap(api.POST('/admin/users/batch', { body }))
}

function addMembers(workspace_id: string, body: { user_ids: string[]; role: 'viewer' }) {
  const params = { path: { workspace_id } }
  const path = '/admin/workspaces/{workspace_id}/members/invite/batch'
  return unwrap(api.POST(path, { params, body }))
}

function countPeople(count: number): string {
  return count === 1 ? '1 person' : `${count.toLocaleString()} people`
}
