import { Checkbox, SimpleGrid, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { Schemas } from '../api/client.ts'

export type ManagementAppFields = Pick<Schemas['ManagementAppCreateRequest'], 'name' | 'scopes'>

const areas = ['users', 'workspaces', 'permissions', 'apps', 'webhooks', 'activity', 'stats']
const scopes = areas.flatMap((area) => [`${area}:read`, `${area}:write`])

/** The fields of a management app. */
export function ManagementAppForm({ form }: { form: UseFormReturnType<ManagementAppFields> }) {
  return (
    <>
      <TextInput
        label="Name"
        description="A label for administrators."
        data-autofocus
        {...form.getInputProps('name')}
      />
      <Checkbox.Group
        label="Scopes"
        description="What the app may do; write includes read."
        mt="md"
        {...form.getInputProps('scopes')}
      >
        <SimpleGrid cols={2} my="xs" spacing="xs">
          {scopes.map((scope) => (
            <Checkbox key={scope} value={scope} label={scope} />
          ))}
        </SimpleGrid>
      </Checkbox.Group>
    </>
  )
}
