import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { hasFeature } from '../settings.ts'
import { FilterSelect } from '../ui/filter-select.tsx'
import { Section } from '../ui/page.tsx'
import { MemberPicker } from '../ui/pickers.tsx'
import { useWorkspaceSearch } from '../workspaces/workspace-search.ts'
import { workspaceAgentsQuery } from './delegation-queries.ts'
import { DelegationTable } from './delegation-table.tsx'

const title = 'Delegations'

/** The tab with the delegations in a workspace, in both consoles. */
export function delegationTabs({ id }: { id: string }) {
  return createTabs(<WorkspaceDelegations workspaceId={id} />)
}

/** The tab with what agents may do for a person. */
export function personDelegationTabs({ id }: { id: string }) {
  return createTabs(
    <Section title={title} description="What agents may do for this person, and until when.">
      <DelegationTable filters={{ user_id: id }} />
    </Section>,
  )
}

function createTabs(content: ReactNode) {
  return hasFeature('delegations') ? [{ value: 'delegations', label: title, content }] : []
}

/** The delegations to an agent, on its page. */
export function AgentDelegations({ id }: { id: string }) {
  if (!hasFeature('delegations')) return null
  return (
    <Section title={title} description="For whom it may act, and until when.">
      <DelegationTable filters={{ agent_id: id }} />
    </Section>
  )
}

/** The address contains the filters. */
function WorkspaceDelegations({ workspaceId }: { workspaceId: string }) {
  const { search, navigate } = useWorkspaceSearch()
  const { tab, person, agent, page = 1 } = search
  const agents = useQuery(workspaceAgentsQuery(workspaceId))
  const change = (next: { person?: string | undefined; agent?: string | undefined }) =>
    navigate({ search: { tab, person, agent, ...next }, replace: true })
  return (
    <Section
      title={title}
      description="What agents may do for members in this workspace, and until when."
    >
      <DelegationTable
        filters={{ workspace_id: workspaceId, user_id: person, agent_id: agent }}
        page={page}
        onPage={(page) =>
          navigate({ search: { tab, person, agent, page: page === 1 ? undefined : page } })
        }
        onClear={person || agent ? () => navigate({ search: { tab } }) : undefined}
        toolbar={
          <>
            <MemberPicker
              label="Person"
              isFilter
              workspaceId={workspaceId}
              value={person ?? null}
              onChange={(id) => change({ person: id ?? undefined })}
            />
            <FilterSelect
              label="Agent"
              placeholder="Agent"
              options={agents.data ?? []}
              value={agent}
              onChange={(agent) => change({ agent })}
              isSearchable
              w={220}
            />
          </>
        }
      />
    </Section>
  )
}
