import { useNavigate, useSearch } from '@tanstack/react-router'
import { Card, Page } from '../ui/page.tsx'
import { PersonPicker } from '../ui/pickers.tsx'
import { SavedFilters } from '../ui/saved-filters.tsx'
import { WorkspacePicker } from '../workspaces/workspace-picker.tsx'
import { AgentPicker } from './agent-picker.tsx'
import type { DelegationFilters } from './delegation-queries.ts'
import { DelegationTable } from './delegation-table.tsx'

/** The delegations in all workspaces. */
export function DelegationsPage() {
  const { page = 1, ...filters } = useSearch({ from: '/shell/delegations' })
  const navigate = useNavigate({ from: '/delegations' })
  const isFiltered = Object.values(filters).some(Boolean)

  /** Changes a filter and returns to the first page. */
  function change(next: DelegationFilters) {
    void navigate({
      search: (previous) => ({ ...previous, page: undefined, ...next }),
      replace: true,
    })
  }

  return (
    <Page
      title="Delegations"
      description="What agents may do for people, and until when. Each delegation was made by the person for whom the agent acts."
    >
      <Card label="All delegations">
        <DelegationTable
          filters={filters}
          page={page}
          onPage={(page) =>
            navigate({ search: { ...filters, page: page === 1 ? undefined : page } })
          }
          onClear={isFiltered ? () => navigate({ search: {} }) : undefined}
          tools={
            <SavedFilters
              list="delegations"
              filters={filters}
              onApply={(filters) => navigate({ search: filters })}
            />
          }
          toolbar={
            <>
              <PersonPicker
                label="Person"
                isFilter
                value={filters.user_id ?? null}
                onChange={(id) => change({ user_id: id ?? undefined })}
              />
              <AgentPicker
                label="Agent"
                isFilter
                workspaceId={filters.workspace_id}
                value={filters.agent_id ?? null}
                onChange={(id) => change({ agent_id: id ?? undefined })}
              />
              <WorkspacePicker
                label="Workspace"
                isFilter
                value={filters.workspace_id ?? null}
                onChange={(id) => change({ workspace_id: id ?? undefined })}
              />
            </>
          }
        />
      </Card>
    </Page>
  )
}
