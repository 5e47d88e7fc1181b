import { Alert, Button, Checkbox, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { ActivityLog } from '../activity/activity-log.tsx'
import { api, unwrap } from '../api/client.ts'
import { ResourceTypes } from '../resource-types/resource-types.tsx'
import { NotFoundPage } from '../shell/not-found-page.tsx'
import { ActiveBadge } from '../ui/badges.tsx'
import { CopyableId } from '../ui/copy.tsx'
import { FormModal } from '../ui/form.tsx'
import { Name } from '../ui/name.tsx'
import { notifyDone, notifyFailure } from '../ui/notify.ts'
import { Facts, Page, Section } from '../ui/page.tsx'
import { QueryState } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import {
  ApiResourceFields,
  ApiResources,
  toServiceAppBody,
  toServiceAppValues,
} from './api-resources.tsx'
import { refreshApps, type ServiceApp, serviceAppQuery, serviceAppsQuery } from './app-queries.ts'
import { DangerZone } from './danger-zone.tsx'
import { type NewKey, NewKeyModal } from './new-key.tsx'
import { RotateForm } from './rotate-form.tsx'

export function ServiceAppPage() {
  const { appId } = useParams({ from: '/shell/service-apps/$appId' })
  const app = useQuery(serviceAppQuery(appId))
  const apps = useQuery(serviceAppsQuery)
  return (
    <QueryState query={app} notFound={<NotFoundPage title="This service app does not exist" />}>
      {(app) => (
        <QueryState query={apps}>
          {(list) => <ServiceAppDetail app={app} isLast={isLastActive(app, list)} />}
        </QueryState>
      )}
    </QueryState>
  )
}

/** Whether the server would return to development mode without the app. */
function isLastActive(app: ServiceApp, apps: ServiceApp[]): boolean {
  return app.is_active && apps.filter(({ is_active }) => is_active).length === 1
}

type Dialog = 'edit' | 'rotate' | 'deactivate' | 'delete'

function ServiceAppDetail({ app, isLast }: { app: ServiceApp; isLast: boolean }) {
  const [dialog, setDialog] = useState<Dialog>()
  const [newKey, setNewKey] = useState<NewKey>()
  const close = () => setDialog(undefined)
  const path = { service_app_id: app.id }

  async function setActive(is_active: boolean, force: boolean) {
    const body = { is_active, ...(force && { force }) }
    await unwrap(api.PATCH('/admin/service-apps/{service_app_id}', { params: { path }, body }))
    await refreshApps()
    notifyDone(`${app.name} is ${is_active ? 'active again' : 'deactivated'}.`)
  }

  return (
    <Page
      title={app.name}
      description={`Acts for the service ${app.service_name}`}
      breadcrumbs={
        <Link to="/service-apps" className="link">
          Service apps
        </Link>
      }
      badges={<ActiveBadge isActive={app.is_active} />}
      actions={
        <>
          <Button variant="default" onClick={() => setDialog('edit')}>
            Edit
          </Button>
          <Button onClick={() => setDialog('rotate')}>Rotate key</Button>
        </>
      }
    >
      <Section title="Key">
        <Facts
          items={[
            [
              'Newest key',
              <span key="key" className="mono">
                {app.key_prefix}…
              </span>,
            ],
            ['Last used', <Time key="used" value={app.last_used_at} relative />],
            ['Created', <Time key="created" value={app.created_at} />],
            [
              'Created by',
              app.created_by ? <Name key="by" id={app.created_by} /> : 'The operator’s tool',
            ],
            ['ID', <CopyableId key="id" id={app.id} />],
          ]}
        />
      </Section>
      <ApiResources app={app} />
      <ResourceTypes service={app.service_name} />
      <Section title="Activity">
        <ActivityLog filter={{ target_id: app.id }} />
      </Section>
      <DangerZone
        description="The keys of a deactivated app are rejected immediately."
        isActive={app.is_active}
        onActivate={() => setActive(true, false).catch(notifyFailure)}
        onDeactivate={() => setDialog('deactivate')}
        onDelete={() => setDialog('delete')}
      />
      <FormModal
        title={`Edit ${app.name}`}
        action="Save"
        isOpen={dialog === 'edit'}
        onClose={close}
        initialValues={toServiceAppValues(app)}
        send={async (values) => {
          const body = toServiceAppBody(values)
          await unwrap(
            api.PATCH('/admin/service-apps/{service_app_id}', { params: { path }, body }),
          )
          await refreshApps()
        }}
      >
        {(form) => (
          <>
            <TextInput label="Name" data-autofocus {...form.getInputProps('name')} />
            <ApiResourceFields form={form} />
          </>
        )}
      </FormModal>
      <RotateForm
        noun="key"
        appName={app.name}
        isOpen={dialog === 'rotate'}
        onClose={close}
        rotate={async (overlap_seconds) => {
          const { key, service_name } = await unwrap(
            api.POST('/admin/service-apps/{service_app_id}/rotate', {
              params: { path },
              body: { overlap_seconds },
            }),
          )
          setNewKey({ key, serviceName: service_name })
          await refreshApps()
        }}
      />
      <EndApp app={app} isLast={isLast} dialog={dialog} onClose={close} setActive={setActive} />
      <NewKeyModal newKey={newKey} onClose={() => setNewKey(undefined)} />
    </Page>
  )
}

/** Deactivates or deletes an app. The last active app requires an additional confirmation. */
function EndApp({
  app,
  isLast,
  dialog,
  onClose,
  setActive,
}: {
  app: ServiceApp
  isLast: boolean
  dialog: Dialog | undefined
  onClose: () => void
  setActive: (isActive: boolean, force: boolean) => Promise<void>
}) {
  const navigate = useNavigate()
  const isDeletion = dialog === 'delete'
  async function remove(force: boolean) {
    const params = { path: { service_app_id: app.id }, query: force ? { force } : {} }
    await unwrap(api.DELETE('/admin/service-apps/{service_app_id}', { params }))
    await navigate({ to: '/service-apps' })
    await refreshApps()
    notifyDone(`${app.name} was deleted.`)
  }
  return (
    <FormModal
      title={`${isDeletion ? 'Delete' : 'Deactivate'} ${app.name}?`}
      action={isDeletion ? 'Delete' : 'Deactivate'}
      isDestructive
      isOpen={dialog === 'deactivate' || isDeletion}
      onClose={onClose}
      initialValues={{ force: false }}
      send={({ force }) => (isDeletion ? remove(force) : setActive(false, force))}
    >
      {(form) => (
        <>
          <Text>
            All keys of this app are rejected immediately, and the service {app.service_name} loses
            access to daikon.
          </Text>
          {isLast && (
            <Alert
              color="yellow"
              variant="light"
              mt="md"
              title="This is the last active service app"
            >
              Without one, the server accepts requests with any service key, or none, unless
              SERVICE_KEYS_REQUIRED is set.
              <Checkbox
                mt="sm"
                label="I understand"
                {...form.getInputProps('force', { type: 'checkbox' })}
              />
            </Alert>
          )}
        </>
      )}
    </FormModal>
  )
}
