import { ActiveBadge, Badge } from '../ui/badges.tsx'
import type { Webhook } from './webhook-queries.ts'

/** Shows whether a webhook sends events, and whether they arrive. */
export function WebhookBadge({ webhook: { is_active, failing_since } }: { webhook: Webhook }) {
  if (is_active && failing_since) return <Badge color="yellow">Failing</Badge>
  return <ActiveBadge isActive={is_active} />
}
