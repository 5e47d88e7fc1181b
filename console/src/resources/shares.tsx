import { Button, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { useName } from '../api/names.ts'
import { describeResourceRole } from '../resource-types/describe-role.ts'
import { type ResourceRole, resourceTypesQuery } from '../resource-types/resource-type-queries.ts'
import type { CsvColumn } from '../ui/csv.ts'
import { CsvButton } from '../ui/csv-button.tsx'
import { actionColumn, type Column, DataTable } from '../ui/data-table.tsx'
import { FormModal } from '../ui/form.tsx'
import { Name, shortenId } from '../ui/name.tsx'
import { notifyDone } from '../ui/notify.ts'
import { Section } from '../ui/page.tsx'
import { GroupPicker, MemberPicker } from '../ui/pickers.tsx'
import { RowAction } from '../ui/row-action.tsx'
import { Select } from '../ui/select.tsx'
import { EmptyState } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { type Resource, refreshResources, type Share } from './resource-queries.ts'

const permissions = ['view', 'edit'].map((value) => ({ value, label: value }))

const csvColumns: CsvColumn<Share>[] = [
  'id',
  'grantee_type',
  'grantee_id',
  'permission',
  'role',
  'expires_at',
  'granted_at',
  'granted_by',
]

type Grant = { permission: string | null; role: string | null }

/** Shows the shares of a resource with people and groups. */
export function Shares({ resource }: { resource: Resource }) {
  const [isSharing, setSharing] = useState(false)

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
    {
      id: 'permission',
      header: 'Permission',
      cell: ({ permission, role }) =>
        permission ?? (
          <>
            {role}
            <span className="dimmed"> (role)</span>
          </>
        ),
    },
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
    actionColumn((share) => <RevokeShare resource={resource} share={share} />),
  ]

  const shareButton = (
    <Button size="xs" variant="default" onClick={() => setSharing(true)}>
      Share
    </Button>
  )
  return (
    <Section
      title="Shares"
      count={resource.shares.length}
      actions={
        <>
          <CsvButton name="shares" columns={csvColumns} rows={resource.shares} isSmall />
          {shareButton}
        </>
      }
    >
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

function RevokeShare({ resource, share }: { resource: Resource; share: Share }) {
  const { grantee_type, grantee_id, permission, role } = share
  const { data } = useName(grantee_id)
  const name = data?.name ?? shortenId(grantee_id)

  async function revoke() {
    const params = { path: { permission_id: resource.id } }
    const body = { grantee_type: grantee_type as 'user', grantee_id }
    await unwrap(api.DELETE('/admin/permissions/{permission_id}/share', { params, body }))
    await refreshResources()
    notifyDone('The share was revoked.')
  }

  return (
    <RowAction
      label="Revoke"
      name={`Revoke the share with ${name}`}
      confirmation={{
        title: `Revoke the share with ${name}?`,
        children: (
          <>
            <Name id={grantee_id} />{' '}
            {permission
              ? `may no longer ${permission} the resource, unless something else grants it.`
              : `loses the role ${role} on the resource.`}
          </>
        ),
        action: 'Revoke',
        run: revoke,
      }}
    />
  )
}

/** A dialog that shares a resource. */
export function ShareForm({
  resource,
  userId = null,
  action = 'view',
  isOpen,
  onClose,
}: {
  resource: Resource
  /** The person who is preselected. */
  userId?: string | null
  /** The action that the preselected permission or role allows, if one does. */
  action?: string
  isOpen: boolean
  onClose: () => void
}) {
  const role = useDeclaredRoles(resource).find(({ actions }) => actions.includes(action))
  const isPermission = permissions.some(({ value }) => value === action)
  const grant: Grant =
    isPermission || !role
      ? { permission: isPermission ? action : 'view', role: null }
      : { permission: null, role: role.name }
  const initialValues = {
    grantee_type: 'user',
    grantee_id: userId,
    ...grant,
    expires_at: '',
  }
  return (
    <FormModal
      title="Share this resource"
      action="Share"
      isOpen={isOpen}
      onClose={onClose}
      initialValues={initialValues}
      send={async ({ grantee_type, grantee_id, permission, role, expires_at }) => {
        const params = { path: { permission_id: resource.id } }
        const body = {
          grantee_type: grantee_type as 'user',
          grantee_id: grantee_id ?? '',
          permission: permission as 'view',
          role,
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
              <GroupPicker
                label="Group"
                workspaceId={resource.workspace_id}
                {...form.getInputProps('grantee_id')}
              />
            )}
          </div>
          <GrantSelect
            resource={resource}
            value={form.values}
            error={form.errors.role ?? form.errors.permission}
            onChange={form.setValues}
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

/** Selects a permission or a role that is declared for the type of the resource. */
function GrantSelect({
  resource,
  value: { permission, role },
  error,
  onChange,
}: {
  resource: Resource
  value: Grant
  error: ReactNode
  onChange: (grant: Grant) => void
}) {
  const roles = useDeclaredRoles(resource)
  const chosen = roles.find(({ name }) => name === role)
  return (
    <Select
      label="Permission"
      {...(chosen && { description: describeResourceRole(chosen) })}
      options={[
        ...permissions,
        ...roles.map(({ name }) => ({ value: name, label: `${name} (role)` })),
      ]}
      mt="md"
      value={role ?? permission}
      error={error}
      onChange={(name) => {
        const isRole = roles.some((role) => role.name === name)
        onChange(isRole ? { permission: null, role: name } : { permission: name, role: null })
      }}
    />
  )
}

/** Returns the roles that are declared for the type of a resource. */
function useDeclaredRoles({ service_name, resource_type }: Resource): ResourceRole[] {
  const types = useQuery(resourceTypesQuery)
  const type = types.data?.find(
    (type) => type.service_name === service_name && type.resource_type === resource_type,
  )
  return type?.roles ?? []
}
