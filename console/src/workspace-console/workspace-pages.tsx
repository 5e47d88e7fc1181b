import { ActivityLog } from '../activity/activity-log.tsx'
import { ServiceAccounts } from '../service-accounts/service-accounts.tsx'
import { Page, Section } from '../ui/page.tsx'
import { PageTabs } from '../ui/page-tabs.tsx'
import { Groups } from '../workspaces/groups.tsx'
import { Members } from '../workspaces/members.tsx'
import { Roles } from '../workspaces/roles-tab.tsx'
import type { Workspace } from '../workspaces/workspace-queries.ts'
import { useWorkspaceSearch } from '../workspaces/workspace-search.ts'
import { WorkspaceSettings } from './workspace-settings.tsx'

/** What owners and admins manage in their workspace. */
export function WorkspacePages({ workspace }: { workspace: Workspace }) {
  const { search } = useWorkspaceSearch()
  const { id, name, description } = workspace
  return (
    <Page title={name} description={description || undefined}>
      <PageTabs
        value={search.tab}
        tabs={[
          { value: 'members', label: 'Members', content: <Members workspace={workspace} /> },
          { value: 'groups', label: 'Groups', content: <Groups workspaceId={id} /> },
          { value: 'roles', label: 'Roles', content: <Roles workspaceId={id} /> },
          {
            value: 'service-accounts',
            label: 'Service accounts',
            content: <ServiceAccounts workspaceId={id} />,
          },
          {
            value: 'activity',
            label: 'Activity',
            content: (
              <Section title="Activity">
                <ActivityLog filter={{ workspace_id: id }} />
              </Section>
            ),
          },
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
