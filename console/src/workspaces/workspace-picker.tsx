import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type Choice, type PickerProps, SearchPicker } from '../ui/search-picker.tsx'
import { workspacesQuery } from './workspace-queries.ts'

/** Chooses a workspace. */
export function WorkspacePicker(props: PickerProps) {
  return <SearchPicker {...props} useChoices={useWorkspaces} nothingFound="No workspace found" />
}

function useWorkspaces(q: string | undefined): Choice[] {
  const { data } = useQuery({
    ...workspacesQuery({ q, page: 1, page_size: 20 }),
    placeholderData: keepPreviousData,
  })
  return (data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))
}
