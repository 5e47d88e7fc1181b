import { Button, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { refreshPeople } from '../people/people-queries.ts'
import { FormModal } from '../ui/form.tsx'
import { notifyDone } from '../ui/notify.ts'
import { PersonPicker } from '../ui/pickers.tsx'
import { Select } from '../ui/select.tsx'
import { roles } from './roles.ts'
import { refreshWorkspaces, type Workspace } from './workspace-queries.ts'

/** Support access never makes somebody an owner. */
const supportRoles = roles.filter(({ value }) => value !== 'owner')

/** A button and dialog that give a person access to a workspace for a limited time. */
export function SupportAccess({ workspace }: { workspace: Workspace }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        size="xs"
        variant="default"
        disabled={!workspace.support_access}
        onClick={() => setOpen(true)}
      >
        Give support access
      </Button>
      <FormModal
        title={`Support access to ${workspace.name}`}
        action="Give access"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        initialValues={{
          user_id: null as string | null,
          role: 'viewer',
          reason: '',
          minutes: '60',
        }}
        send={async ({ user_id, role, reason, minutes }) => {
          const params = { path: { workspace_id: workspace.id } }
          const body = {
            user_id: user_id ?? '',
            role: role as 'viewer',
            reason,
            minutes: Number(minutes),
          }
          await unwrap(
            api.POST('/admin/workspaces/{workspace_id}/support-access', { params, body }),
          )
          await Promise.all([refreshWorkspaces(), refreshPeople()])
          notifyDone(`Support access ends in ${minutes} minutes.`)
        }}
      >
        {(form) => (
          <>
            <Text mb="md">
              The person becomes a member until the time is over. Members see it, and the activity
              of the workspace contains the reason.
            </Text>
            <PersonPicker label="Person" {...form.getInputProps('user_id')} />
            <Select label="Role" options={supportRoles} mt="md" {...form.getInputProps('role')} />
            <TextInput
              label="Reason"
              description="Members of the workspace can read it."
              mt="md"
              {...form.getInputProps('reason')}
            />
            <TextInput
              label="Minutes"
              description="At most 1,440 (one day)."
              inputMode="numeric"
              mt="md"
              {...form.getInputProps('minutes')}
            />
          </>
        )}
      </FormModal>
    </>
  )
}
