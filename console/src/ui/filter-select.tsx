import type { SelectProps } from '@mantine/core'
import { Select } from './select.tsx'

type Props<Value extends string> = {
  label: string
  placeholder: string
  options: { value: Value; label: string }[]
  /** Undefined if the list is not filtered. */
  value: Value | undefined
  onChange: (value: Value | undefined) => void
} & Pick<SelectProps, 'searchable' | 'w'>

/** A select that filters a list, and can be cleared. */
export function FilterSelect<Value extends string>(props: Props<Value>) {
  const { label, options, value, onChange, ...others } = props
  return (
    <Select
      {...others}
      aria-label={label}
      data={options}
      value={value ?? null}
      onChange={(chosen) => onChange((chosen as Value | null) ?? undefined)}
      clearable
      clearButtonProps={{ 'aria-label': `Clear ${label.toLowerCase()}` }}
    />
  )
}
