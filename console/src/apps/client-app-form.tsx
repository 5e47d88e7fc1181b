import { Box, Checkbox, TextInput } from '@mantine/core'
import { FormModal } from '../ui/form.tsx'
import { LinesField } from '../ui/lines-field.tsx'
import { Select } from '../ui/select.tsx'
import { WorkspacePicker } from '../workspaces/workspace-picker.tsx'
import type { ClientAppValues } from './client-app-values.ts'
import { MachineFields } from './machine-fields.tsx'

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
          <Checkbox
            label="Require consent"
            description="Users agree on a page before the app has access. For apps of other organizations."
            mt="md"
            {...form.getInputProps('consent_required', { type: 'checkbox' })}
          />
        </>
      )}
    </FormModal>
  )
}
