import { hasFeature } from '../settings.ts'
import { Section } from '../ui/page.tsx'
import type { Workspace } from '../workspaces/workspace-queries.ts'
import { GrantTable } from './grant-table.tsx'

/** The tab with the apps that members of a workspace have agreed to, in both consoles. */
export function grantTabs({ id }: Workspace) {
  if (!hasFeature('consent')) return []
  const content = (
    <Section
      title="Connected apps"
      description="Apps that members have given access in this workspace."
    >
      <GrantTable filters={{ workspace_id: id }} />
    </Section>
  )
  return [{ value: 'connected-apps', label: 'Connected apps', content }]
}
