import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { refreshPeople } from '../people/people-queries.ts'
import { FormModal } from '../ui/form.tsx'
import { notifyDone } from '../ui/notify.ts'
import { RowButton } from '../ui/row-action.tsx'
import { GuestSwitch } from './guest-switch.tsx'
import { EndInput, fromLocalInput, toLocalInput } from './member-end.tsx'
import { type Member, refreshWorkspaces, type Workspace } from './workspace-queries.ts'

/** A button and dialog that change whether a member is a guest, and when the membership ends. */
export function EditMembership({ member, workspace }: { member: Member; workspace: Workspace }) {
  const [isOpen, setOpen] = useState(false)
  const { user_id, name, email, role, guest, expires_at } = member
  const label = name || email
  return (
    <>
      <RowButton
        label="Edit"
        name={`Edit the membership of ${label}`}
        onClick={() => setOpen(true)}
      />
      <FormModal
        title={`Membership of ${label}`}
        action="Save"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        initialValues={{ guest, expires_at: toLocalInput(expires_at) }}
        send={async (values) => {
          const params = { path: { workspace_id: workspace.id, user_id } }
          const body = {
            expires_at: fromLocalInput(values.expires_at) ?? null,
            ...(values.guest !== guest && { guest: values.guest }),
          }
          await unwrap(
            api.PATCH('/admin/workspaces/{workspace_id}/members/{user_id}', { params, body }),
          )
          await Promise.all([refreshWorkspaces(), refreshPeople()])
          notifyDone(`The membership of ${label} was changed.`)
        }}
      >
        {(form) => (
          <>
            <EndInput data-autofocus {...form.getInputProps('expires_at')} />
            <GuestSwitch
              workspaceId={workspace.id}
              userId={user_id}
              wasGuest={guest}
              role={role}
              {...form.getInputProps('guest', { type: 'checkbox' })}
            />
          </>
        )}
      </FormModal>
    </>
  )
}
