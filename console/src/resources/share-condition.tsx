import { Textarea, TextInput } from '@mantine/core'
import type { FormErrors } from '@mantine/form'
import type { ResourceCondition } from '../resource-types/declaration-form.ts'
import { toLines } from '../ui/lines.ts'
import { Select } from '../ui/select.tsx'

/** The condition of a share in a form, with the values of its parameters as text. */
export type ConditionValue = { name: string | null; params: Record<string, string> }

export const noCondition: ConditionValue = { name: null, params: {} }

/** Returns a condition as the API has it. A text that its type does not allow remains a text. */
export function toCondition({ name, params }: ConditionValue, declared: ResourceCondition[]) {
  const types = declared.find((condition) => condition.name === name)?.parameters ?? {}
  const values = Object.entries(types)
    .filter(([name]) => params[name])
    .map(([name, type]) => [name, toParam(String(type), params[name] ?? '')])
  // The generated type of an object with any members has none.
  return { name: name ?? '', params: Object.fromEntries(values) as Record<string, never> }
}

function toParam(type: string, text: string): unknown {
  const element = /^list<(.*)>$/.exec(type)?.[1]
  if (element) return toLines(text).map((line) => toParam(element, line))
  if (type === 'bool') return text === 'true' || (text === 'false' ? false : text)
  // An int beyond 2^53 is a text in JSON, too.
  const number = Number(text)
  const isNumber = type === 'double' || (type === 'int' && Number.isSafeInteger(number))
  return isNumber && Number.isFinite(number) ? number : text
}

type Props = {
  conditions: ResourceCondition[]
  value: ConditionValue
  errors: FormErrors
  onChange: (value: ConditionValue) => void
}

/** Selects the condition under which a share counts, and the values of its parameters. */
export function ShareCondition({ conditions, value, errors, onChange }: Props) {
  const chosen = conditions.find(({ name }) => name === value.name)
  const types = Object.entries(chosen?.parameters ?? {})
  return (
    <>
      <Select
        label="Condition"
        description={chosen?.description || chosen?.expression || 'When the share counts.'}
        placeholder="None"
        options={conditions.map(({ name }) => ({ value: name, label: name }))}
        isClearable
        mt="md"
        value={value.name}
        error={errors['condition.name'] ?? errors.condition}
        onChange={(name) => onChange({ name, params: emptyParams(conditions, name) })}
      />
      {types.map(([name, type]) => (
        <ParamInput
          key={name}
          name={name}
          type={String(type)}
          value={value.params[name] ?? ''}
          error={errors[`condition.params.${name}`]}
          onChange={(text) => onChange({ ...value, params: { ...value.params, [name]: text } })}
        />
      ))}
    </>
  )
}

function emptyParams(conditions: ResourceCondition[], name: string | null) {
  const types = conditions.find((condition) => condition.name === name)?.parameters ?? {}
  return Object.fromEntries(Object.keys(types).map((name) => [name, '']))
}

const examples: Record<string, string> = {
  timestamp: ', such as 2026-01-31T09:00:00Z',
  duration: ' in seconds, such as 90s',
}

function ParamInput({
  name,
  type,
  value,
  error,
  onChange,
}: {
  name: string
  type: string
  value: string
  error: FormErrors[string]
  onChange: (text: string) => void
}) {
  if (type === 'bool') {
    return (
      <Select
        label={name}
        options={[
          { value: 'true', label: 'true' },
          { value: 'false', label: 'false' },
        ]}
        mt="sm"
        value={value || null}
        error={error}
        onChange={(text) => onChange(text ?? '')}
      />
    )
  }
  const isList = type.startsWith('list<')
  const Input = isList ? Textarea : TextInput
  return (
    <Input
      label={name}
      description={isList ? `${type}, one per line` : `${type}${examples[type] ?? ''}`}
      {...(isList && { autosize: true, minRows: 2 })}
      mt="sm"
      value={value}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
