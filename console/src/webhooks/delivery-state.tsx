import { Badge } from '../ui/badges.tsx'
import type { Delivery } from './webhook-queries.ts'

/** Shows whether an event has arrived. */
export function StateBadge({ state }: Pick<Delivery, 'state'>) {
  if (state === 'delivered') return <Badge color="leaf">Delivered</Badge>
  return state === 'failed' ? (
    <Badge color="red">Failed</Badge>
  ) : (
    <Badge color="yellow">Waiting</Badge>
  )
}

/** Returns the status of the last response, or why there was none. */
export function describeResponse({ response_status, error, attempts }: Delivery) {
  if (response_status !== null) return response_status
  return error ?? <span className="dimmed">{attempts > 0 ? 'Waiting' : 'None'}</span>
}
