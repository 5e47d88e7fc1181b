import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { FormModal } from '../ui/form.tsx'
import { notifyDone } from '../ui/notify.ts'
import { MemberPicker } from '../ui/pickers.tsx'
import { type Resource, refreshResources, titleOf } from './resource-queries.ts'

/** Makes another member of the workspace the owner of a resource. */
export function ChangeOwner({ resource }: { resource: Resource }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Change owner
      </Button>
      <FormModal
        title={`Change the owner of ${titleOf(resource)}`}
        action="Change"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        initialValues={{ owner_id: '' as string | null }}
        send={async ({ owner_id }) => {
          const params = { path: { permission_id: resource.id } }
          const body = { owner_id: owner_id ?? '' }
          await unwrap(api.PATCH('/admin/permissions/{permission_id}/owner', { params, body }))
          await refreshResources()
          notifyDone('The owner was changed.')
        }}
      >
        {(form) => (
          <>
            <Text mb="md">
              The new owner may do everything with it. The previous one keeps only what a role, a
              share or a group gives them.
            </Text>
            <MemberPicker
              label="New owner"
              workspaceId={resource.workspace_id}
              {...form.getInputProps('owner_id')}
            />
          </>
        )}
      </FormModal>
    </>
  )
}
