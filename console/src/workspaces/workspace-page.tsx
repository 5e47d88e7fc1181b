import { Button, Menu } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { signInTabs } from '../connections/sign-in-tab.tsx'
import { delegationTabs } from '../delegations/delegation-tabs.tsx'
import { grantTabs } from '../grants/grants-tab.tsx'
import { ResourceTable } from '../resources/resource-table.tsx'
import { hasFeature, settings } from '../settings.ts'
import { NotFoundPage } from '../shell/not-found-page.tsx'
import { useConfirm } from '../ui/confirm.tsx'
import { CopyableId } from '../ui/copy.tsx'
import { Icon } from '../ui/icon.tsx'
import { notifyDone } from '../ui/notify.ts'
import { Facts, Page, Section } from '../ui/page.tsx'
import { PageTabs } from '../ui/page-tabs.tsx'
import { QueryState } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { NameForm } from './name-form.tsx'
import { refreshWorkspaces, type Workspace, workspaceQuery } from './workspace-queries.ts'
import { activityTab, memberTabs } from './workspace-tabs.tsx'

export function WorkspacePage() {
  const { workspaceId } = useParams({ from: '/shell/workspaces/$workspaceId' })
  const workspace = useQuery(workspaceQuery(workspaceId))
  return (
    <QueryState query={workspace} notFound={<NotFoundPage title="This workspace does not exist" />}>
      {(data) => <WorkspaceDetail workspace={data} />}
    </QueryState>
  )
}

function WorkspaceDetail({ workspace }: { workspace: Workspace }) {
  const { tab } = useSearch({ from: '/shell/workspaces/$workspaceId' })
  const { id } = workspace
  return (
    <Page
      title={workspace.name}
      description={workspace.description || undefined}
      breadcrumbs={
        <Link to="/workspaces" className="link">
          Workspaces
        </Link>
      }
      actions={<WorkspaceActions workspace={workspace} />}
    >
      <PageTabs
        value={tab}
        tabs={[
          ...memberTabs(workspace),
          {
            value: 'resources',
            label: 'Resources',
            content: (
              <Section title="Resources">
                <ResourceTable filter={{ workspace_id: id }} />
              </Section>
            ),
          },
          ...grantTabs(workspace),
          ...delegationTabs(workspace),
          ...signInTabs(workspace),
          activityTab(workspace),
          { value: 'details', label: 'Details', content: <Details workspace={workspace} /> },
        ]}
      />
    </Page>
  )
}

function Details({ workspace }: { workspace: Workspace }) {
  const { id, slug, created_at, support_access, email_sign_in } = workspace
  const codes: [string, string][] =
    settings.has_codes || !email_sign_in
      ? [['Codes by e-mail', email_sign_in ? 'Accepted' : 'Refused by an owner']]
      : []
  const unregistered: [string, string][] = hasFeature('client-metadata')
    ? [['Unregistered apps', describeSwitch(workspace.third_party_clients)]]
    : []
  const delegations: [string, string][] = hasFeature('delegations')
    ? [['Delegations', describeSwitch(workspace.delegations)]]
    : []
  return (
    <Section title="Details">
      <Facts
        items={[
          [
            'Slug',
            <span key="slug" className="mono">
              {slug}
            </span>,
          ],
          ['Support access', support_access ? 'Allowed' : 'Forbidden by an owner'],
          ...codes,
          ...unregistered,
          ...delegations,
          ['Created', <Time key="created" value={created_at} />],
          ['ID', <CopyableId key="id" id={id} />],
          [
            'Workspace console',
            <CopyableId
              key="console"
              id={`${location.origin}/w/${slug}`}
              label="Copy URL of the workspace console"
            />,
          ],
        ]}
      />
    </Section>
  )
}

function describeSwitch(isOn: boolean): string {
  return isOn ? 'Allowed' : 'Refused by an owner'
}

function WorkspaceActions({ workspace }: { workspace: Workspace }) {
  const [isEditing, setEditing] = useState(false)
  const confirm = useConfirm()
  const navigate = useNavigate()
  const { name, slug } = workspace
  const params = { path: { workspace_id: workspace.id } }

  async function remove() {
    await unwrap(api.DELETE('/admin/workspaces/{workspace_id}', { params }))
    await navigate({ to: '/workspaces' })
    await refreshWorkspaces()
    notifyDone(`${name} was deleted.`)
  }

  return (
    <>
      <Button variant="default" onClick={() => setEditing(true)}>
        Edit
      </Button>
      <Menu position="bottom-end" width={200}>
        <Menu.Target>
          <Button variant="default" rightSection={<Icon name="chevronDown" size={16} />}>
            More
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            color="var(--mantine-color-error)"
            leftSection={<Icon name="trash" size={16} />}
            onClick={() =>
              confirm({
                title: `Delete ${name}?`,
                children:
                  'Its memberships, groups, custom roles and the permission records of its resources are deleted. This cannot be undone.',
                action: 'Delete workspace',
                typed: slug,
                run: remove,
              })
            }
          >
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <NameForm
        noun="workspace"
        edited={isEditing ? workspace : undefined}
        onClose={() => setEditing(false)}
        send={async (body) => {
          await unwrap(api.PATCH('/admin/workspaces/{workspace_id}', { params, body }))
          await refreshWorkspaces()
          notifyDone('Saved.')
        }}
      />
    </>
  )
}
