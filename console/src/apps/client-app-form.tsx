import { Box, Checkbox, TextInput } from '@mantine/core'
import { ApiError } from '../api/api-error.ts'
import { FormModal } from '../ui/form.tsx'
import { parseJsonObject } from '../ui/json-object.ts'
import { toLines } from '../ui/lines.ts'
import { LinesField } from '../ui/lines-field.tsx'
import { Select } from '../ui/select.tsx'
import { WorkspacePicker } from '../workspaces/workspace-picker.tsx'
import { MachineFields } from './machine-fields.tsx'

/** The fields of a client app. Lists are edited as text with one item per line. */
export type ClientAppValues = {
  name: string
  type: string
  redirect_uris: string
  post_logout_redirect_uris: string
  backchannel_logout_uri: string
  pkce_required: boolean
  popup_sign_in: boolean
  workspace_id: string | null
  service_account_id: string | null
  /** The workspace whose service accounts are offered; not a field of the API. */
  account_workspace_id: string | null
  /** A JSON Web Key Set as text; empty for none. */
  jwks: string
}

export const emptyClientApp: ClientAppValues = {
  name: '',
  type: 'public',
  redirect_uris: '',
  post_logout_redirect_uris: '',
  backchannel_logout_uri: '',
  pkce_required: true,
  popup_sign_in: false,
  workspace_id: null,
  service_account_id: null,
  account_workspace_id: null,
  jwks: '',
}

/** @throws {ApiError} if the public keys are not a JSON object */
export function toClientAppBody(values: ClientAppValues) {
  const isConfidential = values.type === 'confidential'
  const { value: jwks = null, error } = parseJsonObject(isConfidential ? values.jwks : '')
  if (error) throw new ApiError(422, { errors: [{ field: 'jwks', message: error }] })
  return {
    name: values.name,
    type: values.type as 'public' | 'confidential',
    redirect_uris: toLines(values.redirect_uris),
    post_logout_redirect_uris: toLines(values.post_logout_redirect_uris),
    backchannel_logout_uri: values.backchannel_logout_uri.trim(),
    pkce_required: values.type === 'public' || values.pkce_required,
    popup_sign_in: values.popup_sign_in,
    workspace_id: values.workspace_id,
    service_account_id: isConfidential ? values.service_account_id : null,
    // The generated type of an object with any members has none.
    jwks: jwks as Record<string, never> | null,
  }
}

type Props = {
  title: string
  action: string
  isOpen: boolean
  onClose: () => void
  initialValues: ClientAppValues
  send: (values: ClientAppValues) => Promise<unknown>
}

export function ClientAppForm(props: Props) {
  return (
    <FormModal {...props}>
      {(form) => (
        <>
          <TextInput label="Name" data-autofocus {...form.getInputProps('name')} />
          <Select
            label="Type"
            description="Public for applications in a browser; confidential for those with a backend that keeps a secret."
            options={[
              { value: 'public', label: 'Public' },
              { value: 'confidential', label: 'Confidential' },
            ]}
            mt="md"
            {...form.getInputProps('type')}
          />
          <Box mt="md">
            <WorkspacePicker
              label="Workspace"
              placeholder="Any workspace"
              description="Only its members can sign in. Choose one if the application maps roles: in any workspace, people are owner of those they create."
              {...form.getInputProps('workspace_id')}
            />
          </Box>
          {form.values.type === 'confidential' && (
            <Checkbox
              label="Require PKCE"
              description="Turn this off only for a library without PKCE. It must then send state or nonce."
              mt="md"
              {...form.getInputProps('pkce_required', { type: 'checkbox' })}
            />
          )}
          {form.values.type === 'confidential' && <MachineFields form={form} />}
          <LinesField
            label="Redirect URIs"
            description="One per line: https, or http on a loopback host. Not needed with a service account."
            minRows={2}
            {...form.getInputProps('redirect_uris')}
          />
          <LinesField
            label="Redirect URIs after sign-out"
            description="One per line. Optional."
            minRows={1}
            {...form.getInputProps('post_logout_redirect_uris')}
          />
          <TextInput
            label="Back-channel logout URI"
            description="Receives a logout token when a session ends. Optional."
            mt="md"
            {...form.getInputProps('backchannel_logout_uri')}
          />
          <Checkbox
            label="Sign in from a popup"
            description="Only for applications that open a window to sign in, such as Swagger UI."
            mt="md"
            {...form.getInputProps('popup_sign_in', { type: 'checkbox' })}
          />
        </>
      )}
    </FormModal>
  )
}
