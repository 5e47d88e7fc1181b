import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { ActivityLog } from '../activity/activity-log.tsx'
import { api, unwrap } from '../api/client.ts'
import { NotFoundPage } from '../shell/not-found-page.tsx'
import { ActiveBadge } from '../ui/badges.tsx'
import { useConfirm } from '../ui/confirm.tsx'
import { CopyableId } from '../ui/copy.tsx'
import { FormModal } from '../ui/form.tsx'
import { Name } from '../ui/name.tsx'
import { notifyDone, notifyFailure } from '../ui/notify.ts'
import { Facts, Page, Section } from '../ui/page.tsx'
import { QueryState } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { type ManagementApp, managementAppsQuery, refreshApps } from './app-queries.ts'
import { DangerZone } from './danger-zone.tsx'
import { type ManagementAppFields, ManagementAppForm } from './management-app-form.tsx'
import { NewSecretModal } from './new-secret.tsx'
import { RotateForm } from './rotate-form.tsx'

export function ManagementAppPage() {
  const { appId } = useParams({ from: '/shell/management-apps/$appId' })
  const apps = useQuery(managementAppsQuery)
  return (
    <QueryState query={apps}>
      {(apps) => {
        const app = apps.find(({ id }) => id === appId)
        if (!app) return <NotFoundPage title="This management app does not exist" />
        return <ManagementAppDetail app={app} />
      }}
    </QueryState>
  )
}

function ManagementAppDetail({ app }: { app: ManagementApp }) {
  const [dialog, setDialog] = useState<'edit' | 'rotate'>()
  const [secret, setSecret] = useState<string>()
  const confirm = useConfirm()
  const navigate = useNavigate()
  const close = () => setDialog(undefined)
  const params = { path: { management_app_id: app.id } }

  async function setActive(is_active: boolean) {
    const body = { scopes: [], is_active }
    await unwrap(api.PATCH('/admin/management-apps/{management_app_id}', { params, body }))
    await refreshApps()
    notifyDone(`${app.name} is ${is_active ? 'active again' : 'deactivated'}.`)
  }

  async function remove() {
    await unwrap(api.DELETE('/admin/management-apps/{management_app_id}', { params }))
    await navigate({ to: '/management-apps' })
    await refreshApps()
    notifyDone(`${app.name} was deleted.`)
  }

  return (
    <Page
      title={app.name}
      description={app.scopes.join(', ')}
      breadcrumbs={
        <Link to="/management-apps" className="link">
          Management apps
        </Link>
      }
      badges={<ActiveBadge isActive={app.is_active} />}
      actions={
        <>
          <Button variant="default" onClick={() => setDialog('edit')}>
            Edit
          </Button>
          <Button onClick={() => setDialog('rotate')}>Rotate secret</Button>
        </>
      }
    >
      <Section title="Credentials">
        <Facts
          items={[
            ['Client ID', <CopyableId key="id" id={app.client_id} />],
            [
              'Newest secret',
              <span key="secret" className="mono">
                {app.secret_prefix}…
              </span>,
            ],
            ['Last token', <Time key="used" value={app.last_used_at} relative />],
            ['Created', <Time key="created" value={app.created_at} />],
            [
              'Created by',
              app.created_by ? <Name key="by" id={app.created_by} /> : 'The operator’s tool',
            ],
          ]}
        />
      </Section>
      <Section title="What the app did">
        <ActivityLog filter={{ actor_id: app.id }} />
      </Section>
      <Section title="Changes of the app">
        <ActivityLog filter={{ target_id: app.id }} />
      </Section>
      <DangerZone
        description="The tokens of a deactivated app end immediately."
        isActive={app.is_active}
        onActivate={() => setActive(true).catch(notifyFailure)}
        onDeactivate={() =>
          confirm({
            title: `Deactivate ${app.name}?`,
            children: 'Its tokens end immediately, and it cannot obtain new ones.',
            action: 'Deactivate',
            run: () => setActive(false),
          })
        }
        onDelete={() =>
          confirm({
            title: `Delete ${app.name}?`,
            children: 'Its secrets and tokens end immediately.',
            action: 'Delete',
            run: remove,
          })
        }
      />
      <FormModal
        title={`Edit ${app.name}`}
        action="Save"
        isOpen={dialog === 'edit'}
        onClose={close}
        initialValues={{ name: app.name, scopes: app.scopes } as ManagementAppFields}
        send={async (body) => {
          await unwrap(api.PATCH('/admin/management-apps/{management_app_id}', { params, body }))
          await refreshApps()
        }}
      >
        {(form) => <ManagementAppForm form={form} />}
      </FormModal>
      <RotateForm
        noun="secret"
        appName={app.name}
        isOpen={dialog === 'rotate'}
        onClose={close}
        rotate={async (overlap_seconds) => {
          const { client_secret } = await unwrap(
            api.POST('/admin/management-apps/{management_app_id}/rotate', {
              params,
              body: { overlap_seconds },
            }),
          )
          setSecret(client_secret ?? undefined)
          await refreshApps()
        }}
      />
      <NewSecretModal secret={secret} onClose={() => setSecret(undefined)} />
    </Page>
  )
}
