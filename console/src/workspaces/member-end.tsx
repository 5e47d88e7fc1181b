import { TextInput, VisuallyHidden } from '@mantine/core'
import type { ComponentProps } from 'react'
import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { refreshPeople } from '../people/people-queries.ts'
import { FormModal } from '../ui/form.tsx'
import { notifyDone } from '../ui/notify.ts'
import { Time } from '../ui/time.tsx'
import classes from './member-list.module.css'
import { type Member, refreshWorkspaces, type Workspace } from './workspace-queries.ts'

/** Shows when a membership ends. The button opens a dialog that changes it. */
export function MemberEnd({ member, workspace }: { member: Member; workspace: Workspace }) {
  const [isOpen, setOpen] = useState(false)
  const { user_id, name, email, expires_at } = member
  const label = name || email
  return (
    <>
      <button type="button" className={classes.end} onClick={() => setOpen(true)}>
        <Time value={expires_at} />
        <VisuallyHidden> Change the end of the membership of {label}</VisuallyHidden>
      </button>
      <FormModal
        title={`End of the membership of ${label}`}
        action="Save"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        initialValues={{ expires_at: toLocalInput(expires_at) }}
        send={async (values) => {
          const params = { path: { workspace_id: workspace.id, user_id } }
          const body = { expires_at: fromLocalInput(values.expires_at) ?? null }
          await unwrap(
            api.PATCH('/admin/workspaces/{workspace_id}/members/{user_id}', { params, body }),
          )
          await Promise.all([refreshWorkspaces(), refreshPeople()])
          notifyDone(
            body.expires_at
              ? `The membership of ${label} ends.`
              : `The membership of ${label} does not end.`,
          )
        }}
      >
        {(form) => <EndInput data-autofocus {...form.getInputProps('expires_at')} />}
      </FormModal>
    </>
  )
}

/** The input for the end of a membership. */
export function EndInput(props: ComponentProps<typeof TextInput>) {
  return (
    <TextInput
      type="datetime-local"
      label="Ends"
      description="In your time zone. Leave empty for a membership that does not end."
      {...props}
    />
  )
}

/** Returns the time in the input as ISO 8601, or undefined if the input is empty. */
export function fromLocalInput(value: string): string | undefined {
  return value ? new Date(value).toISOString() : undefined
}

/** Returns a time as the value of an input: `2030-01-31T12:00` in the time zone of the browser. */
export function toLocalInput(value: string | null | undefined): string {
  if (!value) return ''
  const time = new Date(value)
  // As if the time zone were UTC. Local setters would be an hour off around changes of the clock.
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * 60_000)
  return shifted.toISOString().slice(0, 16)
}
