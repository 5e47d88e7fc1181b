import { CopyableCode, CopyableId } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Facts } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { describeResponse, StateBadge } from './delivery-state.tsx'
import type { Delivery } from './webhook-queries.ts'
import classes from './webhooks.module.css'

type Props = {
  /** Undefined if the dialog is closed. */
  delivery: Delivery | undefined
  onClose: () => void
}

/** Shows the request and the last response of a delivery. */
export function DeliveryDialog({ delivery, onClose }: Props) {
  return (
    <Dialog
      opened={delivery !== undefined}
      onClose={onClose}
      title={delivery && `Delivery of ${delivery.type}`}
      size="lg"
    >
      {delivery && <DeliveryDetail delivery={delivery} />}
    </Dialog>
  )
}

function DeliveryDetail({ delivery }: { delivery: Delivery }) {
  const { response_body } = delivery
  return (
    <>
      <Facts
        items={[
          ['Status', <StateBadge key="state" state={delivery.state} />],
          ['Attempts', delivery.attempts],
          ['Last response', describeResponse(delivery)],
          ['Duration', delivery.duration_ms === null ? '—' : `${delivery.duration_ms} ms`],
          ['Last attempt', <Time key="last" value={delivery.attempted_at} />],
          ['Next attempt', <Time key="next" value={delivery.next_attempt_at} empty="None" />],
          ['webhook-id', <CopyableId key="id" id={delivery.id} label="Copy webhook-id" />],
        ]}
      />
      <h3 className={classes.part}>Request</h3>
      <CopyableCode code={format(delivery.request_body)} label="Request" />
      <h3 className={classes.part}>Response</h3>
      {response_body ? (
        <CopyableCode code={format(response_body)} label="Response" />
      ) : (
        <p className="dimmed">{response_body === '' ? 'The body is empty' : 'None'}</p>
      )}
    </>
  )
}

/** Indents JSON; returns another text as it is. */
function format(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
