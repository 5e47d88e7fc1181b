import { Box } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useName } from '../api/names.ts'
import { serviceAccountsQuery } from '../service-accounts/service-account-queries.ts'
import { CodeInput } from '../ui/code-input.tsx'
import { Select } from '../ui/select.tsx'
import { WorkspacePicker } from '../workspaces/workspace-picker.tsx'
import type { ClientAppValues } from './client-app-values.ts'

/** The fields of a confidential app that obtains tokens for itself, without a person. */
export function MachineFields({ form }: { form: UseFormReturnType<ClientAppValues> }) {
  const { service_account_id: accountId, account_workspace_id: chosenWorkspace } = form.values
  const account = useName(accountId)
  const workspaceId = chosenWorkspace ?? account.data?.workspace_id ?? null
  const accounts = useQuery({
    ...serviceAccountsQuery(workspaceId ?? ''),
    enabled: workspaceId !== null,
  })
  return (
    <>
      <Box mt="md">
        <WorkspacePicker
          label="Workspace of the service account"
          placeholder="None"
          description="For an app that obtains tokens for itself, without a person (client_credentials)."
          value={workspaceId}
          onChange={(id) => form.setValues({ account_workspace_id: id, service_account_id: null })}
        />
      </Box>
      {workspaceId && (
        <Select
          label="Service account"
          placeholder="None"
          options={(accounts.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          valueLabel={account.data?.name}
          isClearable
          nothingFound="The workspace has no service accounts"
          mt="md"
          {...form.getInputProps('service_account_id')}
        />
      )}
      <CodeInput
        label="Public keys"
        description="A JSON Web Key Set, with which the app authenticates by private_key_jwt. Optional."
        mt="md"
        {...form.getInputProps('jwks')}
      />
    </>
  )
}
