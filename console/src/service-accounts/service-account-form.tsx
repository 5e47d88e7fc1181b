import { TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { Select } from '../ui/select.tsx'
import { EndInput, fromLocalInput, toLocalInput } from '../workspaces/member-end.tsx'
import { roles } from '../workspaces/roles.ts'
import type { ServiceAccount } from './service-account-queries.ts'

export type ServiceAccountFields = { name: string; role: string; expires_at: string }

export const emptyAccount: ServiceAccountFields = { name: '', role: 'viewer', expires_at: '' }

export function toAccountFields({ name, role, expires_at }: ServiceAccount): ServiceAccountFields {
  return { name, role, expires_at: toLocalInput(expires_at) }
}

export function toAccountBody({ name, role, expires_at }: ServiceAccountFields) {
  return { name, role: role as 'viewer', expires_at: fromLocalInput(expires_at) ?? null }
}

/** A service account cannot be an owner. */
const accountRoles = roles.filter(({ value }) => value !== 'owner')

/** The fields of a service account. */
export function ServiceAccountForm({ form }: { form: UseFormReturnType<ServiceAccountFields> }) {
  return (
    <>
      <TextInput label="Name" data-autofocus {...form.getInputProps('name')} />
      <Select label="Role" options={accountRoles} mt="md" {...form.getInputProps('role')} />
      <EndInput
        description="In your time zone. Leave empty for an account that does not end."
        mt="md"
        {...form.getInputProps('expires_at')}
      />
    </>
  )
}
