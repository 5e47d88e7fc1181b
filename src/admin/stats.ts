import type { GetStatsRequest, Stats } from '../../gen/daikon/v1/admin_records.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import type { RequestContext } from '../core/request-context.ts'
import type { ServiceAppStore } from './store/service-app-store.ts'
import type { StatisticsStore } from './store/statistics-store.ts'

type StatsContext = RequestContext<{
  activity: ActivityStore
  serviceApps: ServiceAppStore
  statistics: StatisticsStore
}>

/**
 * Returns the statistics of the dashboard. The queries run concurrently on the pool of the entity
 * manager; on the pool of prepared statements they would delay permission checks.
 */
export async function getStats(
  {
    stores: { activity, serviceApps, statistics },
    now,
    keysRequired = false,
  }: Pick<StatsContext, 'stores' | 'now'> & { keysRequired?: boolean },
  _request: GetStatsRequest,
): Promise<Stats> {
  const [
    totals,
    workspace_distribution,
    signups_by_day,
    sign_ins_by_day,
    recent_activity,
    hasActiveApps,
  ] = await Promise.all([
    statistics.countTotals(),
    statistics.findLargestWorkspaces(),
    statistics.countSignupsByDay(now),
    statistics.countSignInsByDay(now),
    activity.find({ limit: 10 }),
    serviceApps.hasActive(),
  ])
  return {
    ...totals,
    workspace_distribution,
    recent_activity,
    signups_by_day,
    sign_ins_by_day,
    development_mode: !keysRequired && !hasActiveApps,
  }
}
