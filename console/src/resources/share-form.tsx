import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api, unwrap } from '../api/client.ts'
import type { ResourceType } from '../resource-types/declaration-form.ts'
import { describeResourceRole } from '../resource-types/describe-role.ts'
import { resourceTypesQuery } from '../resource-types/resource-type-queries.ts'
import { FormModal } from '../ui/form.tsx'
import { notifyDone } from '../ui/notify.ts'
import { GroupPicker, MemberPicker } from '../ui/pickers.tsx'
import { Select } from '../ui/select.tsx'
import { type Resource, refreshResources } from './resource-queries.ts'
import { noCondition, ShareCondition, toCondition } from './share-condition.tsx'

const permissions = ['view', 'edit'].map((value) => ({ value, label: value }))

export type Grant = { permission: string | null; role: string | null }

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
  const type = useDeclaredType(resource)
  const conditions = type?.conditions ?? []
  const role = type?.roles.find(({ actions }) => actions.includes(action))
  const isPermission = permissions.some(({ value }) => value === action)
  const grant: Grant =
    isPermission || !role
      ? { permission: isPermission ? action : 'view', role: null }
      : { permission: null, role: role.name }
  const initialValues = {
    grantee_type: 'user',
    grantee_id: userId,
    ...grant,
    condition: noCondition,
    expires_at: '',
  }
  return (
    <FormModal
      title="Share this resource"
      action="Share"
      isOpen={isOpen}
      onClose={onClose}
      initialValues={initialValues}
      send={async ({ grantee_type, grantee_id, permission, role, condition, expires_at }) => {
        const params = { path: { permission_id: resource.id } }
        const body = {
          grantee_type: grantee_type as 'user',
          grantee_id: grantee_id ?? '',
          permission: permission as 'view',
          role,
          ...(condition.name && { condition: toCondition(condition, conditions) }),
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
          {conditions.length > 0 && (
            <ShareCondition
              conditions={conditions}
              value={form.values.condition}
              errors={form.errors}
              onChange={(condition) => form.setFieldValue('condition', condition)}
            />
          )}
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
export function GrantSelect({
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
  const roles = useDeclaredType(resource)?.roles ?? []
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

/** Returns the declaration of the type of a resource, if there is one. */
export function useDeclaredType({
  service_name,
  resource_type,
}: Resource): ResourceType | undefined {
  const types = useQuery(resourceTypesQuery)
  return types.data?.find(
    (type) => type.service_name === service_name && type.resource_type === resource_type,
  )
}
