import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type PickerProps, SearchPicker } from '../ui/search-picker.tsx'
import type { Option } from '../ui/select.tsx'
import { workspacesQuery } from './workspace-queries.ts'

/** Selects a workspace. */
export function WorkspacePicker(props: PickerProps) {
  return <SearchPicker {...props} useChoices={useWorkspaces} nothingFound="No workspace found" />
}

function useWorkspaces(q: string | undefined) {
  return useQuery({
    ...workspacesQuery({ q, page: 1, page_size: 20 }),
    placeholderData: keepPreviousData,
    select: ({ items }) => items.map(({ id, name }): Option => ({ value: id, label: name })),
  })
}
