import { hasFeature } from '../settings.ts'
import { Section } from '../ui/page.tsx'
import type { GrantFilters } from './grant-queries.ts'
import { GrantTable } from './grant-table.tsx'

/** The tab with the apps that members of a workspace have agreed to, in both consoles. */
export function grantTabs({ id }: { id: string }) {
  return createTabs('Apps that members have given access in this workspace.', { workspace_id: id })
}

/** The tab with the apps that a person has agreed to. */
export function personGrantTabs({ id }: { id: string }) {
  return createTabs('Apps that this person has given access.', { user_id: id })
}

function createTabs(description: string, filters: GrantFilters) {
  if (!hasFeature('consent')) return []
  const content = (
    <Section title="Connected apps" description={description}>
      <GrantTable filters={filters} />
    </Section>
  )
  return [{ value: 'connected-apps', label: 'Connected apps', content }]
}
