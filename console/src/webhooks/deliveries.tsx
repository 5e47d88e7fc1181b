import { Button } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { actionColumn, type Column, DataTable } from '../ui/data-table.tsx'
import { notifyDone, notifyFailure } from '../ui/notify.ts'
import { Section } from '../ui/page.tsx'
import { EmptyState } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { TokenPager } from '../ui/token-pager.tsx'
import { DeliveryDialog } from './delivery-dialog.tsx'
import { describeResponse, StateBadge } from './delivery-state.tsx'
import { type Delivery, deliveriesQuery, retryDelivery, type Webhook } from './webhook-queries.ts'
import classes from './webhooks.module.css'

/** Shows the deliveries of a webhook, newest first, each with its request and last response. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const [tokens, setTokens] = useState<string[]>([])
  const [shownId, setShownId] = useState<string>()
  const deliveries = useQuery({
    ...deliveriesQuery(webhook.id, tokens.at(-1)),
    placeholderData: keepPreviousData,
  })
  const retry = (delivery: Delivery) =>
    retryDelivery(webhook, delivery).then(
      () => notifyDone('The event is being sent again.'),
      notifyFailure,
    )

  const columns: Column<Delivery>[] = [
    {
      id: 'event',
      header: 'Event',
      cell: ({ id, type, created_at }) => (
        <>
          <button type="button" className={classes.event} onClick={() => setShownId(id)}>
            {type}
          </button>
          <small className={classes.url}>
            <Time value={created_at} />
          </small>
        </>
      ),
    },
    { id: 'state', header: 'Status', cell: ({ state }) => <StateBadge state={state} /> },
    { id: 'attempts', header: 'Attempts', cell: ({ attempts }) => attempts },
    { id: 'response', header: 'Last response', cell: describeResponse },
    {
      id: 'next',
      header: 'Next attempt',
      cell: ({ next_attempt_at }) => <Time value={next_attempt_at} empty="None" relative />,
    },
    actionColumn((delivery) => (
      <Button
        size="compact-sm"
        variant="subtle"
        color="gray"
        c="dimmed"
        disabled={!webhook.is_active}
        aria-label={`Send again: ${delivery.type}`}
        onClick={() => retry(delivery)}
      >
        Send again
      </Button>
    )),
  ]
  return (
    <Section
      title="Deliveries"
      description="The events of 30 days. A failed delivery is attempted again for a day."
    >
      <DataTable
        label="Deliveries"
        columns={columns}
        rows={deliveries.data?.items}
        rowId="id"
        error={deliveries.error}
        onRetry={() => deliveries.refetch()}
        isStale={deliveries.isPlaceholderData}
        empty={
          <EmptyState icon="send" title="No deliveries yet">
            “Send test” sends the event webhook.test.
          </EmptyState>
        }
      />
      <TokenPager
        tokens={tokens}
        nextToken={deliveries.data?.next_page_token}
        onChange={setTokens}
      />
      <DeliveryDialog
        delivery={deliveries.data?.items.find(({ id }) => id === shownId)}
        onClose={() => setShownId(undefined)}
      />
    </Section>
  )
}
