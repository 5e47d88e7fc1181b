import { signInTabs } from '../connections/sign-in-tab.tsx'
import { delegationTabs } from '../delegations/delegation-tabs.tsx'
import { grantTabs } from '../grants/grants-tab.tsx'
import { Page } from '../ui/page.tsx'
import { PageTabs } from '../ui/page-tabs.tsx'
import type { Workspace } from '../workspaces/workspace-queries.ts'
import { useWorkspaceSearch } from '../workspaces/workspace-search.ts'
import { activityTab, memberTabs } from '../workspaces/workspace-tabs.tsx'
import { WorkspaceSettings } from './workspace-settings.tsx'

/** What owners and admins manage in their workspace. */
export function WorkspacePages({ workspace }: { workspace: Workspace }) {
  const { search } = useWorkspaceSearch()
  const { name, description, role } = workspace
  return (
    <Page title={name} description={description || undefined}>
      <PageTabs
        value={search.tab}
        tabs={[
          ...memberTabs(workspace),
          ...grantTabs(workspace),
          ...delegationTabs(workspace),
          ...(role === 'owner' ? signInTabs(workspace) : []),
          activityTab(workspace),
          {
            value: 'settings',
            label: 'Settings',
            content: <WorkspaceSettings workspace={workspace} />,
          },
        ]}
      />
    </Page>
  )
}
