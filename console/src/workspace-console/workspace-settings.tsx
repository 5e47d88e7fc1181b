import { Button, Switch } from '@mantine/core'
import { useState } from 'react'
import { api, type Schemas, unwrap } from '../api/client.ts'
import { refreshDelegations } from '../delegations/delegation-queries.ts'
import { refreshGrants } from '../grants/grant-queries.ts'
import { hasFeature, settings } from '../settings.ts'
import { useConfirm } from '../ui/confirm.tsx'
import { CopyableId } from '../ui/copy.tsx'
import { notifyDone, notifyFailure } from '../ui/notify.ts'
import { Facts, Section } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { NameForm } from '../workspaces/name-form.tsx'
import { refreshWorkspaces, type Workspace } from '../workspaces/workspace-queries.ts'

/** The name of the workspace, and the switches of its owners. */
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
      {(settings.has_codes || !workspace.email_sign_in) && <EmailSignIn workspace={workspace} />}
      {hasFeature('client-metadata') && <UnregisteredApps workspace={workspace} />}
      {hasFeature('delegations') && <Delegations workspace={workspace} />}
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

function EmailSignIn({ workspace }: { workspace: Workspace }) {
  const { name, role, email_sign_in } = workspace
  const confirm = useConfirm()
  function change(isAccepted: boolean) {
    if (isAccepted) return void save(workspace, { email_sign_in: true }).catch(notifyFailure)
    confirm({
      title: `Refuse codes by e-mail in ${name}?`,
      children:
        'Members who have signed in with a code lose access when their tokens expire, until they sign in another way.',
      action: 'Refuse',
      run: () => save(workspace, { email_sign_in: false }),
    })
  }
  return (
    <Section
      title="Codes by e-mail"
      description="A code that is sent to an address proves only access to the mailbox."
    >
      <OwnerSwitch
        label="Accept codes by e-mail"
        role={role}
        isOn={email_sign_in}
        onChange={change}
      />
    </Section>
  )
}

function UnregisteredApps({ workspace }: { workspace: Workspace }) {
  const { name, role, third_party_clients } = workspace
  const confirm = useConfirm()
  function change(isAllowed: boolean) {
    if (isAllowed) return void save(workspace, { third_party_clients: true }).catch(notifyFailure)
    confirm({
      title: `Refuse unregistered apps in ${name}?`,
      children:
        'Those that members have given access lose it immediately. Members have to agree again if you allow them later.',
      action: 'Refuse',
      run: async () => {
        await save(workspace, { third_party_clients: false })
        await refreshGrants()
      },
    })
  }
  return (
    <Section
      title="Unregistered apps"
      description="Members can give access to apps that this installation does not know, such as editors and assistants. Each is limited to one API."
    >
      <OwnerSwitch
        label="Allow unregistered apps"
        role={role}
        isOn={third_party_clients}
        onChange={change}
      />
    </Section>
  )
}

function Delegations({ workspace }: { workspace: Workspace }) {
  const { name, role, delegations } = workspace
  const confirm = useConfirm()
  function change(isAllowed: boolean) {
    if (isAllowed) return void save(workspace, { delegations: true }).catch(notifyFailure)
    confirm({
      title: `Refuse delegations in ${name}?`,
      children:
        'Those that members have made end immediately. Members have to make new ones if you allow them later.',
      action: 'Refuse',
      run: async () => {
        await save(workspace, { delegations: false })
        await refreshDelegations()
      },
    })
  }
  return (
    <Section
      title="Delegations"
      description="Members can let agents act for them, within limits and until a time."
    >
      <OwnerSwitch label="Allow delegations" role={role} isOn={delegations} onChange={change} />
    </Section>
  )
}

function OwnerSwitch({
  label,
  role,
  isOn,
  onChange,
}: {
  label: string
  role: string | null | undefined
  isOn: boolean
  onChange: (isOn: boolean) => void
}) {
  return (
    <Switch
      label={label}
      description={role === 'owner' ? undefined : 'Only owners can change this.'}
      disabled={role !== 'owner'}
      checked={isOn}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
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
      <OwnerSwitch
        label="Allow support access"
        role={role}
        isOn={support_access}
        onChange={change}
      />
    </Section>
  )
}

async function save({ id }: Workspace, body: Schemas['UpdateWorkspaceRequest']): Promise<void> {
  const params = { path: { workspace_id: id } }
  await unwrap(api.PATCH('/workspaces/{workspace_id}', { params, body }))
  await refreshWorkspaces()
  notifyDone('Saved.')
}
