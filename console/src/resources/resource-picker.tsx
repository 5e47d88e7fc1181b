import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type PickerProps, SearchPicker } from '../ui/search-picker.tsx'
import type { Option } from '../ui/select.tsx'
import { resourcesQuery, titleOf } from './resource-queries.ts'

/** Selects a resource: one of the newest, or any by the ID that its service uses. */
export function ResourcePicker(props: PickerProps) {
  return (
    <SearchPicker
      placeholder="The whole ID"
      {...props}
      useChoices={useResources}
      nothingFound="No resource has this ID"
    />
  )
}

function useResources(q: string | undefined) {
  return useQuery({
    ...resourcesQuery({ external_id: q, page_size: 10 }),
    placeholderData: keepPreviousData,
    select: ({ items }) =>
      items.map(
        ({ id, service_name, resource_type, ...resource }): Option => ({
          value: id,
          label: `${service_name}/${resource_type}/${titleOf(resource)}`,
        }),
      ),
  })
}
