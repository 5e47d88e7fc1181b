import { Button, Switch } from '@mantine/core'
import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { useConfirm } from '../ui/confirm.tsx'
import { CopyableId } from '../ui/copy.tsx'
import { notifyDone, notifyFailure } from '../ui/notify.ts'
import { Facts, Section } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { NameForm } from '../workspaces/name-form.tsx'
import { refreshWorkspaces, type Workspace } from '../workspaces/workspace-queries.ts'

/** The name of the workspace, and whether administrators may give support access to it. */
export function WorkspaceSettings({ workspace }: { workspace: Workspace }) {
  const [isEditing, setEditing] = useState(false)
  const { id, name, slug, created_at } = workspace
  return (
    <>
      <Section
        title="Workspace"
        actions={
          <Button size="xs" variant="default" onClick={() => setEditing(true)}>
            Edit
          </Button>
        }
      >
        <Facts
          items={[
            ['Name', <bdi key="name">{name}</bdi>],
            [
              'Slug',
              <span key="slug" className="mono">
                {slug}
              </span>,
            ],
            ['Created', <Time key="created" value={created_at} />],
            ['ID', <CopyableId key="id" id={id} />],
          ]}
        />
      </Section>
      <SupportAccess workspace={workspace} />
      <NameForm
        noun="workspace"
        edited={isEditing ? workspace : undefined}
        onClose={() => setEditing(false)}
        send={(body) => save(workspace, body)}
      />
    </>
  )
}

function SupportAccess({ workspace }: { workspace: Workspace }) {
  const { name, role, support_access } = workspace
  const confirm = useConfirm()
  function change(isAllowed: boolean) {
    if (isAllowed) return void save(workspace, { support_access: true }).catch(notifyFailure)
    confirm({
      title: `Forbid support access to ${name}?`,
      children: 'Support access that an administrator has given ends immediately.',
      action: 'Forbid',
      run: () => save(workspace, { support_access: false }),
    })
  }
  return (
    <Section
      title="Support access"
      description="An administrator of this installation may let somebody into the workspace for at most a day. The activity shows who, until when and why."
    >
      <Switch
        label="Allow support access"
        description={role === 'owner' ? undefined : 'Only owners can change this.'}
        disabled={role !== 'owner'}
        checked={support_access}
        onChange={(event) => change(event.currentTarget.checked)}
      />
    </Section>
  )
}

async function save(
  { id }: Workspace,
  body: { name?: string; description?: string; support_access?: boolean },
): Promise<void> {
  const params = { path: { workspace_id: id } }
  await unwrap(api.PATCH('/workspaces/{workspace_id}', { params, body }))
  await refreshWorkspaces()
  notifyDone('Saved.')
}
