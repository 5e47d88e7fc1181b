import { toCsv } from '../ui/csv.ts'
import type { ActivityEntry } from './activity-queries.ts'

/** Formats entries as CSV. */
export function entriesToCsv(entries: ActivityEntry[]): string {
  return toCsv(
    [
      'id',
      'created_at',
      'action',
      'target_type',
      'target_id',
      'actor_id',
      'workspace_id',
      'detail',
      'service_app_id',
      'key_prefix',
      'request_id',
      'ip',
      'agent_type',
      'agent_id',
      'delegation_id',
    ],
    entries,
  )
}
