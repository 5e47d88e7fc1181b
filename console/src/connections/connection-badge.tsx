import { ActiveBadge, Badge } from '../ui/badges.tsx'
import type { Connection } from './connection-queries.ts'

/** Shows whether people can sign in through a connection, and whether they must. */
export function ConnectionBadge({
  connection: { is_active, enforced, domains },
}: {
  connection: Connection
}) {
  if (!is_active) return <ActiveBadge isActive={false} />
  if (!domains.some(({ verified_at }) => verified_at))
    return <Badge color="yellow">No verified domain</Badge>
  if (domains.some(({ failing_since }) => failing_since))
    return <Badge color="yellow">TXT record missing</Badge>
  return enforced ? <Badge color="indigo">Required</Badge> : <ActiveBadge isActive />
}
