import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { ActivityLog } from '../activity/activity-log.tsx'
import { api, unwrap } from '../api/client.ts'
import { AgentDelegations } from '../delegations/delegation-tabs.tsx'
import { settings } from '../settings.ts'
import { NotFoundPage } from '../shell/not-found-page.tsx'
import { ActiveBadge, ClientTypeBadge } from '../ui/badges.tsx'
import { useConfirm } from '../ui/confirm.tsx'
import { CopyableId } from '../ui/copy.tsx'
import { Name } from '../ui/name.tsx'
import { notifyDone, notifyFailure } from '../ui/notify.ts'
import { Facts, Page, Section } from '../ui/page.tsx'
import { QueryState } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { type ClientApp, clientAppQuery, refreshApps } from './app-queries.ts'
import { ClientAppForm } from './client-app-form.tsx'
import { toClientAppBody } from './client-app-values.ts'
import { ConnectApplication } from './connect-application.tsx'
import { DangerZone } from './danger-zone.tsx'
import { NewSecretModal } from './new-secret.tsx'
import { RotateForm } from './rotate-form.tsx'

export function ClientAppPage() {
  const { appId } = useParams({ from: '/shell/client-apps/$appId' })
  const app = useQuery(clientAppQuery(appId))
  return (
    <QueryState query={app} notFound={<NotFoundPage title="This client app does not exist" />}>
      {(app) => <ClientAppDetail app={app} />}
    </QueryState>
  )
}

function ClientAppDetail({ app }: { app: ClientApp }) {
  const [dialog, setDialog] = useState<'edit' | 'rotate'>()
  const [secret, setSecret] = useState<string>()
  const confirm = useConfirm()
  const navigate = useNavigate()
  const close = () => setDialog(undefined)
  const params = { path: { client_app_id: app.id } }

  async function setActive(is_active: boolean) {
    await unwrap(api.PATCH('/admin/client-apps/{client_app_id}', { params, body: { is_active } }))
    await refreshApps()
    notifyDone(`${app.name} is ${is_active ? 'active again' : 'deactivated'}.`)
  }

  async function remove() {
    await unwrap(api.DELETE('/admin/client-apps/{client_app_id}', { params }))
    await navigate({ to: '/client-apps' })
    await refreshApps()
    notifyDone(`${app.name} was deleted.`)
  }

  return (
    <Page
      title={app.name}
      breadcrumbs={
        <Link to="/client-apps" className="link">
          Client apps
        </Link>
      }
      badges={
        <>
          <ActiveBadge isActive={app.is_active} />
          <ClientTypeBadge type={app.type} />
        </>
      }
      actions={
        <>
          <Button variant="default" onClick={() => setDialog('edit')}>
            Edit
          </Button>
          {app.type === 'confidential' && (
            <Button onClick={() => setDialog('rotate')}>Rotate secret</Button>
          )}
        </>
      }
    >
      <Section
        title="Endpoints and credentials"
        description="Copy these values into the configuration of the application."
      >
        <Facts
          items={[
            ['Issuer', <CopyableId key="issuer" id={settings.base_url} label="Copy issuer" />],
            ['Client ID', <CopyableId key="id" id={app.id} label="Copy client ID" />],
            [
              'Client secret',
              app.secret_prefix ? (
                <span key="secret" className="mono">
                  {app.secret_prefix}…
                </span>
              ) : (
                <span key="secret" className="dimmed">
                  None: public app
                </span>
              ),
            ],
            [
              'Workspace',
              app.workspace_id ? (
                <Name
                  key="workspace"
                  id={app.workspace_id}
                  fallback="Deleted: nobody can sign in"
                />
              ) : (
                'Any'
              ),
            ],
            ...machineFacts(app),
            ['PKCE', app.pkce_required ? 'Required' : 'Optional'],
            ['Sign-in from a popup', app.popup_sign_in ? 'Allowed' : 'Not allowed'],
            ['Consent of users', app.consent_required ? 'Required' : 'Not required'],
            ['Created', <Time key="created" value={app.created_at} />],
          ]}
        />
      </Section>
      <Section title="Redirect URIs">
        <UriList uris={app.redirect_uris} />
      </Section>
      <Section title="After sign-out">
        <UriList uris={app.post_logout_redirect_uris} />
        {app.backchannel_logout_uri && (
          <p>
            Back-channel: <span className="mono">{app.backchannel_logout_uri}</span>
          </p>
        )}
      </Section>
      <ConnectApplication app={app} />
      {app.type === 'confidential' && !app.service_account_id && <AgentDelegations id={app.id} />}
      <Section title="Activity">
        <ActivityLog filter={{ target_id: app.id }} />
      </Section>
      <DangerZone
        description="A deactivated app receives no authorization codes."
        isActive={app.is_active}
        onActivate={() => setActive(true).catch(notifyFailure)}
        onDeactivate={() =>
          confirm({
            title: `Deactivate ${app.name}?`,
            children: 'People cannot sign in to it until it is activated again.',
            action: 'Deactivate',
            run: () => setActive(false),
          })
        }
        onDelete={() =>
          confirm({
            title: `Delete ${app.name}?`,
            children: 'All its sessions end, and people can no longer sign in to it.',
            action: 'Delete app',
            typed: app.name,
            run: remove,
          })
        }
      />
      <ClientAppForm
        title={`Edit ${app.name}`}
        action="Save"
        isOpen={dialog === 'edit'}
        onClose={close}
        initialValues={{
          name: app.name,
          type: app.type,
          redirect_uris: app.redirect_uris.join('\n'),
          post_logout_redirect_uris: app.post_logout_redirect_uris.join('\n'),
          backchannel_logout_uri: app.backchannel_logout_uri ?? '',
          pkce_required: app.pkce_required,
          popup_sign_in: app.popup_sign_in,
          consent_required: app.consent_required,
          workspace_id: app.workspace_id ?? null,
          service_account_id: app.service_account_id ?? null,
          account_workspace_id: null,
          jwks: app.jwks ? JSON.stringify(app.jwks, null, 2) : '',
        }}
        send={async (values) => {
          const { post_logout_redirect_uris: uris, ...body } = toClientAppBody(values)
          // The API ignores an empty list, so removing all addresses requires a flag.
          const logout =
            uris.length > 0
              ? { post_logout_redirect_uris: uris }
              : { remove_post_logout_redirect_uris: true }
          const changed = await unwrap(
            api.PATCH('/admin/client-apps/{client_app_id}', {
              params,
              body: { ...body, ...logout },
            }),
          )
          if (changed.client_secret) setSecret(changed.client_secret)
          await refreshApps()
        }}
      />
      <RotateForm
        noun="secret"
        appName={app.name}
        isOpen={dialog === 'rotate'}
        onClose={close}
        rotate={async (overlap_seconds) => {
          const body = { overlap_seconds }
          const rotated = await unwrap(
            api.POST('/admin/client-apps/{client_app_id}/rotate', { params, body }),
          )
          if (rotated.client_secret) setSecret(rotated.client_secret)
          await refreshApps()
        }}
      />
      <NewSecretModal secret={secret} onClose={() => setSecret(undefined)} />
    </Page>
  )
}

/** How a confidential app authenticates, and the service account that it acts for by itself. */
function machineFacts({ type, jwks, service_account_id }: ClientApp): [string, ReactNode][] {
  if (type === 'public') return []
  const methods = [
    'client_secret_basic',
    'client_secret_post',
    ...(jwks ? ['private_key_jwt'] : []),
  ]
  return [
    ['Authentication', methods.join(', ')],
    [
      'Service account',
      service_account_id ? (
        <Name key="service-account" id={service_account_id} fallback="Deleted" />
      ) : (
        'None'
      ),
    ],
  ]
}

function UriList({ uris }: { uris: string[] }) {
  if (uris.length === 0) return <p className="dimmed">None</p>
  return (
    <ul>
      {uris.map((uri) => (
        <li key={uri} className="mono">
          {uri}
        </li>
      ))}
    </ul>
  )
}
