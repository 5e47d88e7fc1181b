import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useName } from '../api/names.ts'
import { workspacesQuery } from './workspace-queries.ts'

type Props = {
  label: string
  value?: string | null
  onChange: (id: string | null) => void
  error?: ReactNode
  /** Shows the label inside of the field, for a filter above a table. */
  isFilter?: boolean
}

/** Chooses a workspace, by a search on the server. */
export function WorkspacePicker({ label, isFilter, value = null, onChange, error }: Props) {
  const [text, setText] = useState('')
  const chosen = useName(value)
  const [q] = useDebouncedValue(text === chosen.data?.name ? '' : text, 200)
  const { data } = useQuery({
    ...workspacesQuery({ q: q || undefined, page: 1, page_size: 20 }),
    placeholderData: keepPreviousData,
  })
  const found = (data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))
  const isFound = found.some((choice) => choice.value === value)
  // The chosen one stays a choice, or its name would disappear from the field.
  const choices =
    value && !isFound ? [{ value, label: chosen.data?.name ?? 'Loading…' }, ...found] : found
  const labels = isFilter ? { 'aria-label': label, placeholder: label } : { label }
  return (
    <Select
      {...labels}
      clearable
      searchable
      clearButtonProps={{ 'aria-label': `Clear ${label.toLowerCase()}` }}
      onSearchChange={setText}
      value={value}
      onChange={onChange}
      error={error}
      data={choices}
      // The server has filtered already.
      filter={({ options }) => options}
      nothingFoundMessage="No workspace found"
    />
  )
}
