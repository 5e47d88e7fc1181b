import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { definedOnly } from '../api/defined-only.ts'
import { useName } from '../api/names.ts'
import { membersQuery } from '../workspaces/workspace-queries.ts'

type PickerProps = {
  label: string
  value?: string | null
  onChange: (id: string | null) => void
  error?: ReactNode
  description?: string
  placeholder?: string
  /** Shows the label inside of the field, for a filter above a table. */
  isFilter?: boolean
}

type Choice = { id: string; name: string; email: string }

/** Chooses a person, by a search on the server. */
export function PersonPicker(props: PickerProps) {
  return <SearchPicker {...props} useChoices={usePeople} />
}

/** Chooses a member of a workspace, by a search on the server. */
export function MemberPicker({ workspaceId, ...props }: PickerProps & { workspaceId: string }) {
  return <SearchPicker {...props} useChoices={(q) => useMembers(workspaceId, q)} />
}

function usePeople(q: string | undefined): Choice[] {
  const { data } = useQuery({
    queryKey: ['people', 'choices', q ?? ''],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/admin/users', {
          params: { query: definedOnly({ q, page_size: 10 }) },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  })
  return data?.items ?? []
}

function useMembers(workspaceId: string, q: string | undefined): Choice[] {
  const { data } = useQuery({
    ...membersQuery(workspaceId, q),
    placeholderData: keepPreviousData,
  })
  return (data ?? []).map(({ user_id, name, email }) => ({ id: user_id, name, email }))
}

function SearchPicker({
  label,
  value = null,
  onChange,
  useChoices,
  isFilter,
  ...props
}: PickerProps & { useChoices: (q: string | undefined) => Choice[] }) {
  const [text, setText] = useState('')
  const chosen = useName(value)
  const [q] = useDebouncedValue(text, 200)
  const found = useChoices(value || !q ? undefined : q).map((choice) => ({
    value: choice.id,
    label: describe(choice),
  }))
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
      onChange={onChange}
      onSearchChange={setText}
      data={choices}
      // The server has filtered already.
      filter={({ options }) => options}
      nothingFoundMessage="No people found"
      maxDropdownHeight={260}
    />
  )
}

function describe({ name, email }: Choice): string {
  return name ? `${name} (${email})` : email
}
