import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, unwrap } from '../api/client.ts'
import { definedOnly } from '../api/defined-only.ts'
import { groupsQuery, membersQuery } from '../workspaces/workspace-queries.ts'
import { type PickerProps, SearchPicker } from './search-picker.tsx'
import type { Option } from './select.tsx'

/** The number of choices that a picker offers; others are found by typing. */
const choiceCount = 10

const nothingFound = 'No people found'

/** Selects a person. */
export function PersonPicker(props: PickerProps) {
  return <SearchPicker {...props} useChoices={usePeople} nothingFound={nothingFound} />
}

/** Selects a member of a workspace. */
export function MemberPicker({ workspaceId, ...props }: PickerProps & { workspaceId: string }) {
  const useChoices = (q: string | undefined) => useMembers(workspaceId, q)
  return <SearchPicker {...props} useChoices={useChoices} nothingFound={nothingFound} />
}

/** Selects a group of a workspace, other than `exceptId`. */
export function GroupPicker({
  workspaceId,
  exceptId,
  ...props
}: PickerProps & { workspaceId: string; exceptId?: string }) {
  const useChoices = (q: string | undefined) =>
    useQuery({
      ...groupsQuery(workspaceId, { q, page: 1, page_size: choiceCount }),
      placeholderData: keepPreviousData,
      select: ({ items }) =>
        items
          .filter(({ id }) => id !== exceptId)
          .map(({ id, name }): Option => ({ value: id, label: name })),
    })
  return <SearchPicker {...props} useChoices={useChoices} nothingFound="No groups found" />
}

function usePeople(q: string | undefined) {
  return useQuery({
    queryKey: ['people', 'choices', q ?? ''],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/admin/users', {
          params: { query: definedOnly({ q, page_size: choiceCount }) },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    select: ({ items }) =>
      items.map(({ id, ...person }): Option => ({ value: id, label: describe(person) })),
  })
}

function useMembers(workspaceId: string, q: string | undefined) {
  return useQuery({
    ...membersQuery(workspaceId, { q, page: 1, page_size: choiceCount }),
    placeholderData: keepPreviousData,
    select: ({ items }) =>
      items.map(({ user_id, ...person }): Option => ({ value: user_id, label: describe(person) })),
  })
}

function describe({ name, email }: { name: string; email: string }): string {
  return name ? `${name} (${email})` : email
}
