import { Button, Checkbox, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useActions } from '../resources/service-actions.ts'
import classes from '../ui/list-fields.module.css'
import { Select } from '../ui/select.tsx'
import type { DeclarationFields } from './declaration-form.ts'

type Props = {
  service: string
  form: UseFormReturnType<DeclarationFields>
  /** The position of the requirement in the form. */
  index: number
  onRemove: () => void
}

/** An action and the condition that it requires. */
export function RequirementFields({ service, form, index, onRemove }: Props) {
  const actions = useActions(service)
  const field = `requirements.${index}`
  const names = form.values.conditions.map(({ name }) => name).filter(Boolean)
  const error = form.errors[field]
  return (
    <>
      <div className={classes.row}>
        <Select
          label="Action"
          options={actions.map((action) => ({ value: action, label: action }))}
          isSearchable
          {...form.getInputProps(`${field}.action`)}
        />
        <Select
          label="Requires"
          options={[...new Set(names)].map((name) => ({ value: name, label: name }))}
          nothingFound="No conditions yet"
          {...form.getInputProps(`${field}.condition`)}
        />
        <Button
          variant="subtle"
          color="red"
          aria-label={`Remove requirement ${index + 1}`}
          onClick={onRemove}
        >
          Remove
        </Button>
      </div>
      <Checkbox
        mt="xs"
        label="Also below: binds everything that inherits from a resource of the type"
        {...form.getInputProps(`${field}.inherited`, { type: 'checkbox' })}
      />
      {error && (
        <Text size="sm" c="var(--mantine-color-error)">
          {error}
        </Text>
      )}
    </>
  )
}
