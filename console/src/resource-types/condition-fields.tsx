import { Button, Fieldset, Group, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useState } from 'react'
import classes from '../ui/list-fields.module.css'
import { Select } from '../ui/select.tsx'
import { type DeclarationFields, parameterTypes, toParameters } from './declaration-form.ts'
import { ExpressionInput } from './expression-input.tsx'
import { TryCondition } from './try-condition.tsx'

type Props = {
  form: UseFormReturnType<DeclarationFields>
  /** The position of the condition in the form. */
  index: number
  onRemove: () => void
}

const typeOptions = parameterTypes.map((value) => ({ value, label: value }))

/** The name, expression and parameters of one condition, which can be tried. */
export function ConditionFields({ form, index, onRemove }: Props) {
  const [isTrying, setTrying] = useState(false)
  const field = `conditions.${index}`
  const condition = form.values.conditions[index]
  if (!condition) return null
  const name = condition.name || `${index + 1}`
  const parameters = toParameters(condition.parameters)
  return (
    <Fieldset legend={`Condition ${name}`} mt="md">
      <TextInput label="Name" {...form.getInputProps(`${field}.name`)} />
      <TextInput label="Description" mt="sm" {...form.getInputProps(`${field}.description`)} />
      <ExpressionInput
        label="Expression"
        description="In CEL, such as context.amount <= params.limit."
        mt="sm"
        parameters={parameters}
        {...form.getInputProps(`${field}.expression`)}
      />
      {condition.parameters.map((parameter, position) => {
        const path = `${field}.parameters.${position}`
        return (
          <div key={position} className={classes.row}>
            <TextInput
              label="Parameter"
              error={form.errors[path]}
              {...form.getInputProps(`${path}.name`, { withError: false })}
            />
            <Select label="Type" options={typeOptions} {...form.getInputProps(`${path}.type`)} />
            <Button
              variant="subtle"
              color="red"
              aria-label={`Remove the parameter ${parameter.name || position + 1}`}
              onClick={() => form.removeListItem(`${field}.parameters`, position)}
            >
              Remove
            </Button>
          </div>
        )
      })}
      <Group gap="xs" mt="sm">
        <Button
          size="xs"
          variant="default"
          onClick={() => form.insertListItem(`${field}.parameters`, { name: '', type: 'string' })}
        >
          Add a parameter
        </Button>
        <Button
          size="xs"
          variant="default"
          aria-expanded={isTrying}
          onClick={() => setTrying(!isTrying)}
        >
          Try it
        </Button>
        <Button
          size="xs"
          variant="subtle"
          color="red"
          aria-label={`Remove the condition ${name}`}
          onClick={onRemove}
        >
          Remove
        </Button>
      </Group>
      {isTrying && <TryCondition expression={condition.expression} parameters={parameters} />}
    </Fieldset>
  )
}
