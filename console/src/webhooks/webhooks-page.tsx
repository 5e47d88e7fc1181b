import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../api/client.ts'
import { AppList } from '../apps/app-list.tsx'
import { NewSecretModal } from '../apps/new-secret.tsx'
import type { Column } from '../ui/data-table.tsx'
import { FormModal } from '../ui/form.tsx'
import { Name } from '../ui/name.tsx'
import { RowLink } from '../ui/row-link.tsx'
import { WebhookBadge } from './webhook-badge.tsx'
import { emptyWebhook, toWebhookBody, WebhookForm } from './webhook-form.tsx'
import { nameWebhook, refreshWebhooks, type Webhook, webhooksQuery } from './webhook-queries.ts'
import classes from './webhooks.module.css'

const columns: Column<Webhook>[] = [
  {
    id: 'webhook',
    header: 'Webhook',
    cell: (webhook) => (
      <>
        <RowLink
          to="/webhooks/$webhookId"
          params={{ webhookId: webhook.id }}
          className="strong-link"
        >
          <bdi>{nameWebhook(webhook)}</bdi>
        </RowLink>
        <small className={classes.url}>{webhook.url}</small>
      </>
    ),
  },
  { id: 'events', header: 'Events', cell: ({ events }) => describeEvents(events) },
  {
    id: 'workspace',
    header: 'Workspace',
    cell: ({ workspace_id }) =>
      workspace_id ? <Name id={workspace_id} /> : <span className="dimmed">All</span>,
  },
  { id: 'status', header: 'Status', cell: (webhook) => <WebhookBadge webhook={webhook} /> },
]

function describeEvents(events: string[]) {
  const [first, ...others] = events
  if (!first) return <span className="dimmed">All</span>
  return (
    <>
      {first}
      {others.length > 0 && <span className="dimmed"> and {others.length} more</span>}
    </>
  )
}

export function WebhooksPage() {
  const webhooks = useQuery(webhooksQuery)
  const [isCreating, setCreating] = useState(false)
  const [secret, setSecret] = useState<string>()
  return (
    <AppList
      noun="webhook"
      icon="send"
      description="URLs that receive the events of the activity log."
      emptyText="A webhook sends events to a URL, signed, so that a service can follow changes."
      apps={webhooks}
      columns={columns}
      csvColumns={[
        'id',
        'url',
        'description',
        ['events', ({ events }) => events.join(' ')],
        'workspace_id',
        'is_active',
        'failing_since',
        'created_at',
      ]}
      onCreate={() => setCreating(true)}
    >
      <FormModal
        title="New webhook"
        action="Create"
        isOpen={isCreating}
        onClose={() => setCreating(false)}
        initialValues={emptyWebhook}
        send={async (values) => {
          const created = await unwrap(api.POST('/admin/webhooks', { body: toWebhookBody(values) }))
          setSecret(created.secret ?? undefined)
          await refreshWebhooks()
        }}
      >
        {(form) => <WebhookForm form={form} />}
      </FormModal>
      <NewSecretModal name="webhook secret" secret={secret} onClose={() => setSecret(undefined)} />
    </AppList>
  )
}
