import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { FormModal } from '../ui/form.tsx'
import { notifyDone } from '../ui/notify.ts'
import { Select } from '../ui/select.tsx'
import { GuestSwitch } from '../workspaces/guest-switch.tsx'
import { InvitationLink } from '../workspaces/invitation-link.tsx'
import { EndInput, fromLocalInput } from '../workspaces/member-end.tsx'
import { roles } from '../workspaces/roles.ts'
import { WorkspacePicker } from '../workspaces/workspace-picker.tsx'
import { refreshWorkspaces } from '../workspaces/workspace-queries.ts'
import { refreshPeople } from './people-queries.ts'

type Props = {
  userId: string
  name: string
  /** The workspace that is preselected. */
  workspaceId?: string
  isOpen: boolean
  onClose: () => void
  onAdded?: () => Promise<unknown>
}

/** A dialog that adds a person to a workspace. */
export function MembershipForm({ userId, name, workspaceId, onAdded, ...dialog }: Props) {
  const [link, setLink] = useState<string>()
  return (
    <>
      <InvitationLink url={link} onClose={() => setLink(undefined)} />
      <FormModal
        {...dialog}
        title={`Add ${name} to a workspace`}
        action="Add"
        initialValues={{
          workspace_id: workspaceId ?? (null as string | null),
          role: 'viewer',
          guest: false,
          expires_at: '',
        }}
        send={async ({ workspace_id, role, guest, expires_at }) => {
          const params = { path: { user_id: userId } }
          const end = fromLocalInput(expires_at)
          const body = {
            workspace_id: workspace_id ?? '',
            ...(guest ? { guest } : { role: role as 'viewer' }),
            ...(end && { expires_at: end }),
          }
          const path = '/admin/users/{user_id}/workspaces'
          const { invitation_url } = await unwrap(api.POST(path, { params, body }))
          await Promise.all([refreshPeople(), refreshWorkspaces(), onAdded?.()])
          notifyDone(`${name} was added.`)
          setLink(invitation_url ?? undefined)
        }}
      >
        {(form) => (
          <>
            <WorkspacePicker label="Workspace" {...form.getInputProps('workspace_id')} />
            <Select
              label="Role"
              options={roles}
              mt="md"
              {...form.getInputProps('role')}
              {...(form.values.guest && { value: 'viewer', disabled: true })}
            />
            <GuestSwitch
              workspaceId={form.values.workspace_id}
              userId={userId}
              {...form.getInputProps('guest', { type: 'checkbox' })}
            />
            <EndInput mt="md" {...form.getInputProps('expires_at')} />
          </>
        )}
      </FormModal>
    </>
  )
}
