import { Button, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { actionColumn, type Column, DataTable } from '../ui/data-table.tsx'
import { FormModal } from '../ui/form.tsx'
import { Name } from '../ui/name.tsx'
import { notifyDone } from '../ui/notify.ts'
import { Section } from '../ui/page.tsx'
import { MemberPicker } from '../ui/pickers.tsx'
import { RowAction } from '../ui/row-action.tsx'
import { Select } from '../ui/select.tsx'
import { EmptyState } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { groupsQuery } from '../workspaces/workspace-queries.ts'
import { type Resource, refreshResources, type Share } from './resource-queries.ts'

const permissions = ['view', 'edit'].map((value) => ({ value, label: value }))

/** Shows the shares of a resource with people and groups. */
export function Shares({ resource }: { resource: Resource }) {
  const [isSharing, setSharing] = useState(false)

  async function revoke({ grantee_type, grantee_id, permission }: Share) {
    const params = { path: { permission_id: resource.id } }
    const body = {
      grantee_type: grantee_type as 'user',
      grantee_id,
      permission: permission as 'view',
    }
    await unwrap(api.DELETE('/admin/permissions/{permission_id}/share', { params, body }))
    await refreshResources()
    notifyDone('The share was revoked.')
  }

  const columns: Column<Share>[] = [
    {
      id: 'grantee',
      header: 'Shared with',
      cell: ({ grantee_id, grantee_type }) => (
        <>
          <Name id={grantee_id} />
          {grantee_type === 'group' && <span className="dimmed"> (group)</span>}
        </>
      ),
    },
    { id: 'permission', header: 'Permission', cell: ({ permission }) => permission },
    {
      id: 'expires',
      header: 'Expires',
      cell: ({ expires_at }) => <Time value={expires_at} empty="Never" />,
    },
    {
      id: 'granted',
      header: 'Granted',
      cell: ({ granted_at, granted_by }) => (
        <>
          <Time value={granted_at} />
          {granted_by && (
            <>
              {' by '}
              <Name id={granted_by} />
            </>
          )}
        </>
      ),
    },
    actionColumn((share) => (
      <RowAction
        label="Revoke"
        name={'Revoke this share'}
        confirmation={{
          title: 'Revoke this share?',
          children: (
            <>
              <Name id={share.grantee_id} /> may no longer {share.permission} the resource, unless
              something else grants it.
            </>
          ),
          action: 'Revoke',
          run: () => revoke(share),
        }}
      />
    )),
  ]

  const shareButton = (
    <Button size="xs" variant="default" onClick={() => setSharing(true)}>
      Share
    </Button>
  )
  return (
    <Section title="Shares" count={resource.shares.length} actions={shareButton}>
      <DataTable
        label="Shares"
        columns={columns}
        rows={resource.shares}
        rowId="id"
        empty={<EmptyState icon="share" title="Not shared yet" />}
      />
      <ShareForm resource={resource} isOpen={isSharing} onClose={() => setSharing(false)} />
    </Section>
  )
}

function ShareForm({
  resource,
  isOpen,
  onClose,
}: {
  resource: Resource
  isOpen: boolean
  onClose: () => void
}) {
  const groups = useQuery({ ...groupsQuery(resource.workspace_id), enabled: isOpen })
  const initialValues = {
    grantee_type: 'user',
    grantee_id: null as string | null,
    permission: 'view',
    expires_at: '',
  }
  return (
    <FormModal
      title="Share this resource"
      action="Share"
      isOpen={isOpen}
      onClose={onClose}
      initialValues={initialValues}
      send={async ({ grantee_type, grantee_id, permission, expires_at }) => {
        const params = { path: { permission_id: resource.id } }
        const body = {
          grantee_type: grantee_type as 'user',
          grantee_id: grantee_id ?? '',
          permission: permission as 'view',
          ...(expires_at && { expires_at: new Date(expires_at).toISOString() }),
        }
        await unwrap(api.POST('/admin/permissions/{permission_id}/share', { params, body }))
        await refreshResources()
        notifyDone('The resource is shared.')
      }}
    >
      {(form) => (
        <>
          <Select
            label="With"
            options={[
              { value: 'user', label: 'A person' },
              { value: 'group', label: 'A group' },
            ]}
            {...form.getInputProps('grantee_type')}
            onChange={(type) => form.setValues({ grantee_type: type ?? 'user', grantee_id: null })}
          />
          <div style={{ marginTop: '1rem' }}>
            {form.values.grantee_type === 'user' ? (
              <MemberPicker
                label="Person"
                description="A member of the workspace."
                workspaceId={resource.workspace_id}
                {...form.getInputProps('grantee_id')}
              />
            ) : (
              <Select
                label="Group"
                options={(groups.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
                isSearchable
                {...form.getInputProps('grantee_id')}
              />
            )}
          </div>
          <Select
            label="Permission"
            options={permissions}
            mt="md"
            {...form.getInputProps('permission')}
          />
          <TextInput
            type="datetime-local"
            label="Expires"
            description="In your time zone. Leave empty for a share that does not expire."
            mt="md"
            {...form.getInputProps('expires_at')}
          />
        </>
      )}
    </FormModal>
  )
}
