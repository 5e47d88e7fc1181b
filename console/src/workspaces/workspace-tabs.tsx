import { ActivityLog } from '../activity/activity-log.tsx'
import { ServiceAccounts } from '../service-accounts/service-accounts.tsx'
import { Section } from '../ui/page.tsx'
import { Groups } from './groups.tsx'
import { Members } from './members.tsx'
import { Roles } from './roles-tab.tsx'
import type { Workspace } from './workspace-queries.ts'

/** The tabs about who is in a workspace, in both consoles. */
export function memberTabs(workspace: Workspace) {
  const { id } = workspace
  return [
    { value: 'members', label: 'Members', content: <Members workspace={workspace} /> },
    { value: 'groups', label: 'Groups', content: <Groups workspaceId={id} /> },
    { value: 'roles', label: 'Roles', content: <Roles workspaceId={id} /> },
    {
      value: 'service-accounts',
      label: 'Service accounts',
      content: <ServiceAccounts workspaceId={id} />,
    },
  ]
}

/** The tab with the events of a workspace, in both consoles. */
export function activityTab({ id }: Workspace) {
  const content = (
    <Section title="Activity">
      <ActivityLog filter={{ workspace_id: id }} />
    </Section>
  )
  return { value: 'activity', label: 'Activity', content }
}
