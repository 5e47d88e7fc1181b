import { TextInput } from '@mantine/core'
import { api, unwrap } from '../api/client.ts'
import { FormModal } from '../ui/form.tsx'
import { Select } from '../ui/select.tsx'
import { EndInput, fromLocalInput, toLocalInput } from './member-end.tsx'
import { roles } from './roles.ts'
import { refreshServiceAccounts, type ServiceAccount } from './service-account-queries.ts'

type Props = {
  workspaceId: string
  /** The account that is edited; undefined if the form is closed. */
  edited: ServiceAccount | 'new' | undefined
  onClose: () => void
  onCreated: (id: string) => void
}

/** Service accounts cannot be owners. */
const accountRoles = roles.filter(({ value }) => value !== 'owner')

/** Creates or edits a service account. */
export function ServiceAccountForm({ workspaceId, edited, onClose, onCreated }: Props) {
  const current = edited === 'new' ? undefined : edited
  return (
    <FormModal
      title={current ? `Edit ${current.name}` : 'New service account'}
      action={current ? 'Save' : 'Create'}
      isOpen={edited !== undefined}
      onClose={onClose}
      initialValues={{
        name: current?.name ?? '',
        role: current?.role ?? 'viewer',
        expires_at: toLocalInput(current?.expires_at),
      }}
      send={async ({ name, role, expires_at }) => {
        const end = fromLocalInput(expires_at)
        const fields = { name, role: role as 'viewer' }
        if (current) {
          const path = { workspace_id: workspaceId, service_account_id: current.id }
          const isUnchanged = expires_at === toLocalInput(current.expires_at)
          const body = { ...fields, ...(!isUnchanged && { expires_at: end ?? null }) }
          const route = '/admin/workspaces/{workspace_id}/service-accounts/{service_account_id}'
          await unwrap(api.PATCH(route, { params: { path }, body }))
        } else {
          const params = { path: { workspace_id: workspaceId } }
          const body = { ...fields, ...(end && { expires_at: end }) }
          const route = '/admin/workspaces/{workspace_id}/service-accounts'
          onCreated((await unwrap(api.POST(route, { params, body }))).id)
        }
        await refreshServiceAccounts()
      }}
    >
      {(form) => (
        <>
          <TextInput label="Name" data-autofocus {...form.getInputProps('name')} />
          <Select label="Role" options={accountRoles} mt="md" {...form.getInputProps('role')} />
          <EndInput
            mt="md"
            description="In your time zone. Leave empty for an account that does not end."
            {...form.getInputProps('expires_at')}
          />
        </>
      )}
    </FormModal>
  )
}
