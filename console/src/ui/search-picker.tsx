import { useDebouncedValue } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import { useName } from '../api/names.ts'
import { Select } from './select.tsx'

export type PickerProps = {
  label: string
  value?: string | null
  onChange: (id: string | null) => void
  error?: ReactNode
  description?: string
  placeholder?: string
  /** Shows the label inside of the field, for a filter above a table. */
  isFilter?: boolean
}

export type Choice = { value: string; label: string }

type Props = PickerProps & {
  useChoices: (q: string | undefined) => Choice[]
  nothingFound: string
}

/** Chooses one of many objects, by a search on the server. */
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
  const found = useChoices(value || !q ? undefined : q)
  const isFound = found.some((choice) => choice.value === value)
  // The chosen one stays a choice, or its name would disappear from the field.
  const choices =
    value && !isFound ? [{ value, label: chosen.data?.name ?? 'Loading…' }, ...found] : found
  const labels = isFilter ? { 'aria-label': label, placeholder: label } : { label }
  return (
    <Select
      {...props}
      {...labels}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': `Clear ${label.toLowerCase()}` }}
      value={value}
      onSearchChange={setText}
      data={choices}
      // The server has filtered already.
      filter={({ options }) => options}
      nothingFoundMessage={nothingFound}
      maxDropdownHeight={260}
    />
  )
}
