import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { loadName } from '../api/names.ts'
import { queryClient } from '../api/query-client.ts'
import { clientAppsQuery } from '../apps/app-queries.ts'
import { serviceAccountsQuery } from '../service-accounts/service-account-queries.ts'
import { type PickerProps, SearchPicker } from '../ui/search-picker.tsx'
import type { Option } from '../ui/select.tsx'

/** The number of agents that are offered; others are found by typing. */
const choiceCount = 20

type Props = PickerProps & {
  /** The workspace whose service accounts are offered. Those of others are found by their ID. */
  workspaceId: string | undefined
}

/** Selects an agent in the admin console: a confidential client app, or a service account. */
export function AgentPicker({ workspaceId, ...props }: Props) {
  const useChoices = (q: string | undefined) => useAgents(workspaceId, q)
  return (
    <SearchPicker
      {...props}
      useChoices={useChoices}
      nothingFound={
        workspaceId ? 'No agents found' : 'Choose a workspace first, or type the whole ID'
      }
    />
  )
}

function useAgents(workspaceId: string | undefined, q = '') {
  return useQuery({
    queryKey: ['agents', workspaceId ?? '', q],
    queryFn: () => findAgents(workspaceId, q.trim().toLowerCase()),
    placeholderData: keepPreviousData,
  })
}

async function findAgents(workspaceId: string | undefined, q: string): Promise<Option[]> {
  if (isUuid(q)) return findById(q)
  const [apps, accounts] = await Promise.all([
    queryClient.fetchQuery(clientAppsQuery),
    workspaceId ? queryClient.fetchQuery(serviceAccountsQuery(workspaceId)) : [],
  ])
  const agents = [
    ...accounts.map(({ id, name }) => ({ value: id, label: `${name} (service account)` })),
    ...apps
      .filter(({ type }) => type === 'confidential')
      .map(({ id, name }) => ({ value: id, label: `${name} (client app)` })),
  ]
  return agents.filter(({ label }) => label.toLowerCase().includes(q)).slice(0, choiceCount)
}

async function findById(id: string): Promise<Option[]> {
  const found = await loadName(id)
  return found ? [{ value: id, label: found.name }] : []
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
}
