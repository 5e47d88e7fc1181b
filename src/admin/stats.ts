import type { GetStatsRequest, Stats } from '../../gen/daikon/v1/admin_records.ts'
import { readEntries } from '../activity/activity-log.ts'
import type { RequestContext } from '../core/request-context.ts'

type Totals = Pick<
  Stats,
  'total_users' | 'active_users' | 'total_workspaces' | 'total_groups' | 'total_resources'
>

/** Resources over the two indexes by visibility, a fifth of any that has all of them. */
const totalsSql = `
select u.total_users, u.active_users,
  (select count(*) from workspaces)::int as total_workspaces,
  (select count(*) from groups)::int as total_groups,
  (select (select count(*) from resources where visibility = 'private')
    + (select count(*) from resources where visibility = 'workspace'))::int as total_resources
from (
  select count(*)::int as total_users, (count(*) filter (where is_active))::int as active_users
  from users
) u`

/** The members alone decide which are the largest; the rest is counted for these. */
const distributionSql = `
select w.id as workspace_id, w.name, w.members,
  (select count(*) from groups g where g.workspace_id = w.id)::int as groups,
  (select count(*) from resources r where r.workspace_id = w.id)::int as resources
from (
  select w.id, w.name, coalesce(m.count, 0)::int as members from workspaces w
  left join (select workspace_id, count(*) from members group by 1) m on m.workspace_id = w.id
  order by members desc, w.id limit 20
) w
order by w.members desc, w.id`

const signupsSql = `
select to_char(day, 'YYYY-MM-DD') as day, coalesce(found.count, 0)::int as count
from generate_series(?::date - 29, ?::date, interval '1 day') day
left join (
  select date_trunc('day', created_at at time zone 'UTC') as day, count(*)
  from users
  where created_at >= (?::date - 29)::timestamp at time zone 'UTC'
    and created_at < (?::date + 1)::timestamp at time zone 'UTC'
  group by 1
) found using (day)
order by day`

/**
 * The dashboard's figures, counted now, each by a statement of its own at the same time. They take
 * the entities' connections: those of the prepared statements are for what every call waits for.
 */
export async function getStats(
  { em, now }: Pick<RequestContext, 'em' | 'now'>,
  _request: GetStatsRequest,
): Promise<Stats> {
  const today = now.toISOString().slice(0, 10)
  const [[totals], workspace_distribution, signups_by_day, recent_activity] = await Promise.all([
    em.execute<Totals[]>(totalsSql),
    em.execute<Stats['workspace_distribution']>(distributionSql),
    em.execute<Stats['signups_by_day']>(signupsSql, [today, today, today, today]),
    readEntries(em, { limit: 10 }),
  ])
  return { ...(totals as Totals), workspace_distribution, recent_activity, signups_by_day }
}
