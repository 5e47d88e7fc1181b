import type { GetStatsRequest, Stats } from '../../gen/daikon/v1/admin_records.ts'
import { readEntries } from '../activity/log.ts'
import type { Context } from '../rpc/call.ts'

const totalsSql = `
select
  (select count(*) from users)::int,
  (select count(*) from users where is_active)::int,
  (select count(*) from workspaces)::int,
  (select count(*) from groups)::int,
  (select count(*) from resources)::int`

/** The members alone decide which are the largest; the rest is counted for these. */
const distributionSql = `
select w.id, w.name, largest.members,
  (select count(*) from groups g where g.workspace_id = w.id)::int,
  (select count(*) from resources r where r.workspace_id = w.id)::int
from (
  select workspace_id, count(*)::int as members from members
  group by workspace_id order by count(*) desc, workspace_id limit 20
) largest
join workspaces w on w.id = largest.workspace_id
order by largest.members desc, w.id`

const signupsSql = `
select to_char(day, 'YYYY-MM-DD'), coalesce(found.count, 0)::int
from generate_series($1::date - 29, $1::date, interval '1 day') day
left join (
  select date_trunc('day', created_at at time zone 'UTC') as day, count(*) as count
  from users where created_at >= ($1::date - 29)::timestamp at time zone 'UTC' group by 1
) found using (day)
order by day`

/** The dashboard's figures, counted now, each by a statement of its own at the same time. */
export async function getStats(
  { em, statements, now }: Context,
  _request: GetStatsRequest,
): Promise<Stats> {
  const today = now.toISOString().slice(0, 10)
  const [totals, distribution, signups, recent_activity] = await Promise.all([
    statements.rows<number[]>('stats-totals', totalsSql, []),
    statements.rows<[string, string, number, number, number]>('stats-sizes', distributionSql, []),
    statements.rows<[string, number]>('stats-signups', signupsSql, [today]),
    readEntries(em, {}, 'desc', 10),
  ])
  const [total_users = 0, active_users = 0, total_workspaces = 0, total_groups = 0, resources = 0] =
    totals[0] ?? []
  return {
    ...{ total_users, active_users, total_workspaces, total_groups, recent_activity },
    total_resources: resources,
    workspace_distribution: distribution.map(
      ([workspace_id, name, members, groups, resources]) => ({
        ...{ workspace_id, name, members, groups, resources },
      }),
    ),
    signups_by_day: signups.map(([day, count]) => ({ day, count })),
  }
}
