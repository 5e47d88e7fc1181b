import { Alert, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { ActivityLog } from '../activity/activity-log.tsx'
import { api, unwrap } from '../api/client.ts'
import { DangerZone } from '../apps/danger-zone.tsx'
import { NewSecretModal } from '../apps/new-secret.tsx'
import { NotFoundPage } from '../shell/not-found-page.tsx'
import { useConfirm } from '../ui/confirm.tsx'
import { CopyableId } from '../ui/copy.tsx'
import { FormModal } from '../ui/form.tsx'
import { Name } from '../ui/name.tsx'
import { notifyDone, notifyFailure } from '../ui/notify.ts'
import { Facts, Page, Section } from '../ui/page.tsx'
import { QueryState } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { Deliveries } from './deliveries.tsx'
import { WebhookBadge } from './webhook-badge.tsx'
import { toWebhookBody, toWebhookFields, WebhookForm } from './webhook-form.tsx'
import {
  nameWebhook,
  refreshWebhooks,
  sendTest,
  type Webhook,
  webhookQuery,
} from './webhook-queries.ts'

export function WebhookPage() {
  const { webhookId } = useParams({ from: '/shell/webhooks/$webhookId' })
  const webhook = useQuery(webhookQuery(webhookId))
  return (
    <QueryState query={webhook} notFound={<NotFoundPage title="This webhook does not exist" />}>
      {(webhook) => <WebhookDetail webhook={webhook} />}
    </QueryState>
  )
}

function WebhookDetail({ webhook }: { webhook: Webhook }) {
  const [isEditing, setEditing] = useState(false)
  const [secret, setSecret] = useState<string>()
  const confirm = useConfirm()
  const navigate = useNavigate()
  const name = nameWebhook(webhook)
  const params = { path: { webhook_id: webhook.id } }

  async function setActive(is_active: boolean) {
    await unwrap(api.PATCH('/admin/webhooks/{webhook_id}', { params, body: { is_active } }))
    await refreshWebhooks()
    notifyDone(`${name} is ${is_active ? 'active again' : 'deactivated'}.`)
  }

  async function rotate() {
    const rotated = await unwrap(api.POST('/admin/webhooks/{webhook_id}/rotate', { params }))
    setSecret(rotated.secret ?? undefined)
    await refreshWebhooks()
  }

  async function remove() {
    await unwrap(api.DELETE('/admin/webhooks/{webhook_id}', { params }))
    await navigate({ to: '/webhooks' })
    await refreshWebhooks()
    notifyDone(`${name} was deleted.`)
  }

  return (
    <Page
      title={name}
      breadcrumbs={
        <Link to="/webhooks" className="link">
          Webhooks
        </Link>
      }
      badges={<WebhookBadge webhook={webhook} />}
      actions={
        <>
          <Button variant="default" onClick={() => setEditing(true)}>
            Edit
          </Button>
          <Button
            variant="default"
            onClick={() =>
              confirm({
                title: `Rotate the secret of ${name}?`,
                children:
                  'Requests are signed with the old and the new secret for 24 hours, then with the new one.',
                action: 'Create new secret',
                run: rotate,
              })
            }
          >
            Rotate secret
          </Button>
          <Button
            disabled={!webhook.is_active}
            onClick={() =>
              sendTest(webhook).then(() => notifyDone('The test is being sent.'), notifyFailure)
            }
          >
            Send test
          </Button>
        </>
      }
    >
      <Problem webhook={webhook} />
      <Settings webhook={webhook} />
      <Deliveries webhook={webhook} />
      <Section title="Activity">
        <ActivityLog filter={{ target_id: webhook.id }} />
      </Section>
      <DangerZone
        description="A deactivated webhook misses the events until it is activated again."
        isActive={webhook.is_active}
        onActivate={() => setActive(true).catch(notifyFailure)}
        onDeactivate={() =>
          confirm({
            title: `Deactivate ${name}?`,
            children: 'Events are no longer sent, and deliveries that are waiting are given up.',
            action: 'Deactivate',
            run: () => setActive(false),
          })
        }
        onDelete={() =>
          confirm({
            title: `Delete ${name}?`,
            children: 'Its secret and its deliveries are deleted, too.',
            action: 'Delete',
            run: remove,
          })
        }
      />
      <FormModal
        title={`Edit ${name}`}
        action="Save"
        isOpen={isEditing}
        onClose={() => setEditing(false)}
        initialValues={toWebhookFields(webhook)}
        send={async (values) => {
          const { url, description, events } = toWebhookBody(values)
          // The API ignores an empty list, so selecting all events requires a flag.
          const selected = events.length > 0 ? { events } : { all_events: true }
          const body = { url, description, ...selected }
          await unwrap(api.PATCH('/admin/webhooks/{webhook_id}', { params, body }))
          await refreshWebhooks()
        }}
      >
        {(form) => <WebhookForm form={form} isEdit />}
      </FormModal>
      <NewSecretModal name="webhook secret" secret={secret} onClose={() => setSecret(undefined)} />
    </Page>
  )
}

/** Says why the webhook was deactivated, or since when its deliveries fail. */
function Problem({
  webhook: { is_active, deactivated_reason, failing_since },
}: {
  webhook: Webhook
}) {
  if (is_active && failing_since) {
    return (
      <Alert color="yellow" variant="light" mb="md" title="Deliveries fail">
        Every attempt has failed since <Time value={failing_since} />. After a day, the webhook is
        deactivated.
      </Alert>
    )
  }
  if (!deactivated_reason) return null
  return (
    <Alert color="red" variant="light" mb="md" title="The server has deactivated this webhook">
      {deactivated_reason === 'gone'
        ? 'The URL responded with 410 Gone.'
        : 'Every attempt failed for a day.'}
    </Alert>
  )
}

function Settings({ webhook }: { webhook: Webhook }) {
  const { url, events, workspace_id, previous_secret_expires_at, created_by } = webhook
  return (
    <Section title="Settings">
      <Facts
        items={[
          [
            'URL',
            <span key="url" className="mono">
              {url}
            </span>,
          ],
          ['Events', events.join(', ') || 'All'],
          ['Workspace', workspace_id ? <Name key="workspace" id={workspace_id} /> : 'All'],
          [
            'Old secret',
            previous_secret_expires_at ? (
              <>
                Valid until <Time value={previous_secret_expires_at} />
              </>
            ) : (
              'None'
            ),
          ],
          ['Created', <Time key="created" value={webhook.created_at} />],
          ['Created by', created_by ? <Name key="by" id={created_by} /> : '—'],
          ['ID', <CopyableId key="id" id={webhook.id} />],
        ]}
      />
    </Section>
  )
}
