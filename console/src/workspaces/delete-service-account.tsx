import { Text } from '@mantine/core'
import { api, unwrap } from '../api/client.ts'
import { FormModal } from '../ui/form.tsx'
import { notifyDone } from '../ui/notify.ts'
import { MemberPicker } from '../ui/pickers.tsx'
import { refreshServiceAccounts, type ServiceAccount } from './service-account-queries.ts'

type Props = { account: ServiceAccount; isOpen: boolean; onClose: () => void }

/** Deletes a service account. A member can receive the resources that it owns. */
export function DeleteServiceAccount({ account, isOpen, onClose }: Props) {
  const { id, workspace_id, name } = account
  return (
    <FormModal
      title={`Delete ${name}?`}
      action="Delete service account"
      isDestructive
      isOpen={isOpen}
      onClose={onClose}
      initialValues={{ transfer_to: null as string | null }}
      send={async ({ transfer_to }) => {
        const path = { workspace_id, service_account_id: id }
        const params = { path, query: transfer_to ? { transfer_to } : {} }
        const route = '/admin/workspaces/{workspace_id}/service-accounts/{service_account_id}'
        await unwrap(api.DELETE(route, { params }))
        await refreshServiceAccounts()
        notifyDone(`${name} was deleted.`)
      }}
    >
      {(form) => (
        <>
          <Text mb="md">Its API keys and tokens end immediately. This cannot be undone.</Text>
          <MemberPicker
            label="Give its resources to"
            description="Only needed if the account owns resources."
            workspaceId={workspace_id}
            {...form.getInputProps('transfer_to')}
          />
        </>
      )}
    </FormModal>
  )
}
