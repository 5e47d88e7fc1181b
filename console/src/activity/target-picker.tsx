import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { searchQuery } from '../shell/palette-results.ts'
import { type PickerProps, SearchPicker } from '../ui/search-picker.tsx'
import type { Option } from '../ui/select.tsx'
import { describeType } from './describe.ts'

/** Selects any object that the search of the console finds. */
export function TargetPicker(props: PickerProps) {
  return (
    <SearchPicker {...props} useChoices={useObjects} nothingFound="Type a name, or the whole ID" />
  )
}

function useObjects(q: string | undefined) {
  return useQuery({
    ...searchQuery(q ?? ''),
    placeholderData: keepPreviousData,
    select: ({ items }) =>
      (q ? items : []).map(
        ({ id, name, type }): Option => ({ value: id, label: `${name} (${describeType(type)})` }),
      ),
  })
}
