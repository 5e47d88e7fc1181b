import { useNavigate, useSearch } from '@tanstack/react-router'
import { Card, Page } from '../ui/page.tsx'
import { SavedFilters } from '../ui/saved-filters.tsx'
import { WorkspacePicker } from '../workspaces/workspace-picker.tsx'
import type { ResourceFilters } from './resource-queries.ts'
import { ResourceFilterFields, ResourceTable } from './resource-table.tsx'

export function ResourcesPage() {
  const { page = 1, ...search } = useSearch({ from: '/shell/resources' })
  const navigate = useNavigate({ from: '/resources' })
  const filter = { ...search, visibility: readVisibility(search.visibility) }
  const isFiltered = Object.values(search).some(Boolean)

  /** Changes a filter and returns to the first page. */
  function change(next: Partial<typeof search>) {
    void navigate({
      search: (previous) => ({ ...previous, page: undefined, ...next }),
      replace: true,
    })
  }

  return (
    <Page title="Resources" description="What services have registered, and who has access to it.">
      <Card label="All resources">
        <ResourceTable
          filter={filter}
          page={page}
          onPage={(page) =>
            navigate({ search: { ...search, page: page === 1 ? undefined : page } })
          }
          onClear={isFiltered ? () => navigate({ search: {} }) : undefined}
          tools={
            <SavedFilters
              list="resources"
              filters={search}
              onApply={(filters) => navigate({ search: filters })}
            />
          }
          toolbar={
            <>
              <ResourceFilterFields value={filter} onChange={change} />
              <WorkspacePicker
                label="Workspace"
                isFilter
                value={search.workspace_id ?? null}
                onChange={(id) => change({ workspace_id: id ?? undefined })}
              />
            </>
          }
        />
      </Card>
    </Page>
  )
}

function readVisibility(value: string | undefined): ResourceFilters['visibility'] {
  return value === 'private' || value === 'workspace' || value === 'public' ? value : undefined
}
