import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ActivityLog } from '../activity/activity-log.tsx'
import { DangerZone } from '../apps/danger-zone.tsx'
import { useConfirm } from '../ui/confirm.tsx'
import { CopyableId } from '../ui/copy.tsx'
import { FormModal } from '../ui/form.tsx'
import { notifyDone, notifyFailure } from '../ui/notify.ts'
import { Facts, Section } from '../ui/page.tsx'
import { RowLink } from '../ui/row-link.tsx'
import { EmptyState, QueryState } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { useWorkspaceSearch } from '../workspaces/workspace-search.ts'
import { ConnectionBadge } from './connection-badge.tsx'
import { ClientFields, IssuerField, NameField } from './connection-fields.tsx'
import { sendFields, toConnectionFields, toProviderBody } from './connection-form.ts'
import {
  type Connection,
  type ConnectionId,
  connectionQuery,
  deleteConnection,
  refreshConnections,
  updateConnection,
} from './connection-queries.ts'
import classes from './connections.module.css'
import { Domains } from './domains.tsx'
import { Enforcement } from './enforcement.tsx'
import { IssuerCheck } from './issuer-check.tsx'
import { Mapping } from './mapping.tsx'
import { SignInPreview } from './sign-in-preview.tsx'
import { SignInTest } from './sign-in-test.tsx'

/** Shows a connection with everything that its owner can change. */
export function ConnectionDetail({ id }: { id: ConnectionId }) {
  const connection = useQuery(connectionQuery(id))
  return (
    <>
      <RowLink to="." search={({ tab }) => ({ tab })} className={`link ${classes.back}`}>
        All connections
      </RowLink>
      <QueryState
        query={connection}
        notFound={<EmptyState icon="key" title="This connection does not exist" />}
      >
        {(data) => <Detail connection={data} />}
      </QueryState>
    </>
  )
}

function Detail({ connection }: { connection: Connection }) {
  return (
    <>
      <Settings connection={connection} />
      <Domains connection={connection} />
      <Section
        title="Test"
        description="What the provider publishes about itself, and a sign-in through the connection."
      >
        <IssuerCheck connection={connection} />
        <SignInTest connection={connection} />
      </Section>
      <Mapping connection={connection} />
      <Enforcement connection={connection} />
      <SignInPreview connection={connection} />
      <Section title="Activity">
        <ActivityLog filter={{ workspace_id: connection.workspace_id, target_id: connection.id }} />
      </Section>
      <End connection={connection} />
    </>
  )
}

function Settings({ connection }: { connection: Connection }) {
  const [isEditing, setEditing] = useState(false)
  const { id, name, issuer, client_id, scopes, redirect_uri } = connection
  const code = (value: string) => (
    <span key={value} className="mono">
      {value}
    </span>
  )
  return (
    <Section
      title={name}
      description={<ConnectionBadge connection={connection} />}
      actions={
        <Button size="xs" variant="default" onClick={() => setEditing(true)}>
          Edit
        </Button>
      }
    >
      <Facts
        items={[
          ['Redirect URI', <CopyableId key="uri" id={redirect_uri} label="Copy redirect URI" />],
          ['Issuer', code(issuer)],
          ['Client ID', code(client_id)],
          ['Scopes', scopes.join(', ')],
          ['Last sign-in', <Time key="used" value={connection.last_sign_in_at} />],
          ['Created', <Time key="created" value={connection.created_at} />],
          ['ID', <CopyableId key="id" id={id} />],
        ]}
      />
      <FormModal
        title={`Edit the connection ${name}`}
        action="Save"
        isOpen={isEditing}
        onClose={() => setEditing(false)}
        initialValues={toConnectionFields(connection)}
        send={(fields) =>
          sendFields(fields, () => updateConnection(connection, toProviderBody(fields)))
        }
      >
        {(form) => (
          <>
            <NameField form={form} />
            <IssuerField form={form} />
            <ClientFields form={form} isEdit />
            {(form.isDirty('issuer') || form.isDirty('client_id')) && (
              <p className={classes.help} role="status">
                Another issuer or client ID ends the sessions through the connection, and the next
                sign-in of each person counts as their first.
              </p>
            )}
          </>
        )}
      </FormModal>
    </Section>
  )
}

/** Deactivates, activates and deletes the connection. */
function End({ connection }: { connection: Connection }) {
  const confirm = useConfirm()
  const { navigate } = useWorkspaceSearch()
  const { name, is_active, enforced } = connection

  async function setActive(is_active: boolean) {
    await updateConnection(connection, { is_active })
    notifyDone(`${name} is ${is_active ? 'active again' : 'deactivated'}.`)
  }

  async function remove() {
    await deleteConnection(connection)
    await navigate({ search: ({ tab }) => ({ tab }) })
    await refreshConnections()
    notifyDone(`${name} was deleted.`)
  }

  const otherwise = enforced ? ' They can then sign in otherwise again.' : ''
  return (
    <DangerZone
      description="Members remain if their connection is deactivated or deleted; their sessions through it end."
      isActive={is_active}
      onActivate={() => setActive(true).catch(notifyFailure)}
      onDeactivate={() =>
        confirm({
          title: `Deactivate ${name}?`,
          children: `The sessions of all who have signed in by it end immediately.${otherwise}`,
          action: 'Deactivate',
          run: () => setActive(false),
        })
      }
      onDelete={() =>
        confirm({
          title: `Delete the connection ${name}?`,
          children: `The sessions of all who have signed in by it end immediately. Its secret, domains and mapping are deleted.${otherwise}`,
          action: 'Delete connection',
          run: remove,
        })
      }
    />
  )
}
