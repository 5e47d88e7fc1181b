import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'

/** The search parameters of the page of a workspace, in both consoles. */
export type WorkspaceSearch = {
  q?: string | undefined
  page?: number | undefined
  tab?: string | undefined
  role?: string | undefined
  group?: string | undefined
  account?: string | undefined
  connection?: string | undefined
  person?: string | undefined
  agent?: string | undefined
}

/** The search parameters of the page, and how they are changed. */
export function useWorkspaceSearch() {
  const search: WorkspaceSearch = useSearch({ strict: false })
  const navigate = useNavigate()
  return useMemo(
    () => ({
      search,
      /** Replaces the search parameters; `replace` keeps the history as it is. */
      navigate: (options: {
        search: WorkspaceSearch | ((previous: WorkspaceSearch) => WorkspaceSearch)
        replace?: boolean
      }) => navigate({ to: '.', ...options }),
    }),
    [search, navigate],
  )
}
