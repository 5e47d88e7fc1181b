import { TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { LinesField } from '../ui/lines-field.tsx'
import type { ConnectionFields } from './connection-form.ts'

type Props = { form: UseFormReturnType<ConnectionFields> }

/** The name of a connection. */
export function NameField({ form }: Props) {
  return (
    <TextInput
      label="Name"
      description="Such as the name of your company. People see it where they have to sign in through the connection."
      data-autofocus
      {...form.getInputProps('name')}
    />
  )
}

/** The issuer of a connection. */
export function IssuerField({ form, placeholder }: Props & { placeholder?: string }) {
  return (
    <TextInput
      label="Issuer"
      type="url"
      description="The URL of the OpenID Connect provider, exactly as it names itself."
      placeholder={placeholder}
      mt="md"
      {...form.getInputProps('issuer')}
    />
  )
}

/** The credentials of daikon at the provider, and the scopes that it requests. */
export function ClientFields({ form, isEdit = false }: Props & { isEdit?: boolean }) {
  return (
    <>
      <TextInput label="Client ID" mt="md" {...form.getInputProps('client_id')} />
      <TextInput
        label="Client secret"
        type="password"
        autoComplete="off"
        description={
          isEdit
            ? 'Leave empty to keep it. Required if the issuer changes.'
            : 'It is stored encrypted and never shown again.'
        }
        mt="md"
        {...form.getInputProps('client_secret')}
      />
      <LinesField
        label="Scopes"
        description="One per line. openid is always included."
        minRows={3}
        {...form.getInputProps('scopes')}
      />
    </>
  )
}
