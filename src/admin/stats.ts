import type { GetStatsRequest, Stats } from '../../gen/daikon/v1/admin_records.ts'
import { findEntries } from '../activity/activity-log.ts'
import type { RequestContext } from '../core/request-context.ts'
import { hasActiveApps } from './queries.ts'
import {
  countSignInsByDay,
  countSignupsByDay,
  countTotals,
  findLargestWorkspaces,
} from './stats-queries.ts'

/**
 * Returns the statistics of the dashboard. The queries run concurrently on the pool of the entity
 * manager; on the pool of prepared statements they would delay permission checks.
 */
export async function getStats(
  {
    em,
    now,
    keysRequired = false,
  }: Pick<RequestContext, 'em' | 'now'> & { keysRequired?: boolean },
  _request: GetStatsRequest,
): Promise<Stats> {
  const today = now.toISOString().slice(0, 10)
  const [
    totals,
    workspace_distribution,
    signups_by_day,
    sign_ins_by_day,
    recent_activity,
    hasApps,
  ] = await Promise.all([
    countTotals(em),
    findLargestWorkspaces(em),
    countSignupsByDay(em, today),
    countSignInsByDay(em, now),
    findEntries(em, { limit: 10 }),
    hasActiveApps(em),
  ])
  return {
    ...totals,
    workspace_distribution,
    recent_activity,
    signups_by_day,
    sign_ins_by_day,
    development_mode: !keysRequired && !hasApps,
  }
}
