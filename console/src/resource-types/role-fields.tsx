import { Button, Checkbox, Fieldset, Group, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useActions } from '../resources/service-actions.ts'
import type { DeclarationFields } from './declaration-form.ts'

type Props = {
  service: string
  form: UseFormReturnType<DeclarationFields>
  /** The position of the role in the form. */
  index: number
  onRemove: () => void
}

/** The name, description and actions of one role. */
export function RoleFields({ service, form, index, onRemove }: Props) {
  const actions = useActions(service)
  const field = `roles.${index}`
  const name = form.values.roles[index]?.name || `${index + 1}`
  return (
    <Fieldset legend={`Role ${name}`} mt="md">
      <TextInput label="Name" {...form.getInputProps(`${field}.name`)} />
      <TextInput label="Description" mt="sm" {...form.getInputProps(`${field}.description`)} />
      <Checkbox.Group
        label="Actions"
        description="Edit and manage bring view."
        mt="sm"
        {...form.getInputProps(`${field}.actions`)}
      >
        <Group gap="md" my="xs">
          {actions.map((action) => (
            <Checkbox key={action} value={action} label={action} />
          ))}
        </Group>
      </Checkbox.Group>
      <Button
        size="xs"
        variant="subtle"
        color="red"
        mt="sm"
        aria-label={`Remove the role ${name}`}
        onClick={onRemove}
      >
        Remove
      </Button>
    </Fieldset>
  )
}
