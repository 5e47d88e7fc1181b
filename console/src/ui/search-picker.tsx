import { useDebouncedValue } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import { useName } from '../api/names.ts'
import { type Option, Select } from './select.tsx'

export type PickerProps = {
  label: string
  value?: string | null
  onChange: (id: string | null) => void
  error?: ReactNode
  description?: string
  placeholder?: string
  /** Shows the label inside the field, for filters above a table. */
  isFilter?: boolean
}

type Props = PickerProps & {
  useChoices: (q: string | undefined) => Option[]
  nothingFound: string
}

/** Selects one of many objects with a search on the server. */
export function SearchPicker({
  label,
  value = null,
  useChoices,
  nothingFound,
  isFilter,
  ...props
}: Props) {
  const [text, setText] = useState('')
  const chosen = useName(value)
  const [q] = useDebouncedValue(text, 200)
  const choices = useChoices(value || !q ? undefined : q)
  return (
    <Select
      {...props}
      {...(isFilter && { placeholder: label })}
      label={label}
      isLabelHidden={isFilter}
      isSearchable
      isClearable
      value={value}
      valueLabel={chosen.data?.name ?? (chosen.isPending ? 'Loading…' : 'Deleted')}
      options={choices}
      onSearch={setText}
      nothingFound={nothingFound}
    />
  )
}
