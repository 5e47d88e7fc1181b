import type { EntityManager } from '@mikro-orm/postgresql'
import type { GetStatsRequest, Stats, WorkspaceShare } from '../../gen/daikon/v1/admin_records.ts'
import { readEntries } from '../activity/log.ts'
import type { Context } from '../rpc/call.ts'

type Totals = Pick<
  Stats,
  'total_users' | 'active_users' | 'total_workspaces' | 'total_groups' | 'total_resources'
>

const usersSql = `
select count(*)::int as total_users, (count(*) filter (where is_active))::int as active_users
from users`

/**
 * The sizes of all workspaces in one pass, and with it the sums. Resources are counted over the two
 * partial indexes on visibility, which together are a fifth of the next smallest.
 */
const sizesSql = `
select w.id as workspace_id, w.name, coalesce(m.count, 0)::int as members,
  coalesce(g.count, 0)::int as groups, coalesce(r.count, 0)::int as resources,
  (count(*) over ())::int as total_workspaces,
  coalesce(sum(g.count) over (), 0)::int as total_groups,
  coalesce(sum(r.count) over (), 0)::int as total_resources
from workspaces w
left join (select workspace_id, count(*) from members group by 1) m on m.workspace_id = w.id
left join (select workspace_id, count(*) from groups group by 1) g on g.workspace_id = w.id
left join (
  select workspace_id, count(*) from (
    select workspace_id from resources where visibility = 'private'
    union all
    select workspace_id from resources where visibility = 'workspace'
  ) every group by 1
) r on r.workspace_id = w.id
order by members desc, w.id limit 20`

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
 * The dashboard's figures, counted now. They take the entities' connections: those of the prepared
 * statements are for what every call waits for.
 */
export async function getStats(
  { em, now }: Pick<Context, 'em' | 'now'>,
  _request: GetStatsRequest,
): Promise<Stats> {
  const today = now.toISOString().slice(0, 10)
  const [users, sizes, signups_by_day, recent_activity] = await Promise.all([
    em.execute<Pick<Totals, 'total_users' | 'active_users'>[]>(usersSql),
    readSizes(em),
    em.execute<Stats['signups_by_day']>(signupsSql, [today, today, today, today]),
    readEntries(em, { limit: 10 }),
  ])
  const [{ total_users = 0, active_users = 0 } = {}] = users
  return { total_users, active_users, ...sizes, recent_activity, signups_by_day }
}

type Sizes = Omit<Totals, 'total_users' | 'active_users'>

async function readSizes(
  em: EntityManager,
): Promise<Sizes & Pick<Stats, 'workspace_distribution'>> {
  const rows = await em.execute<(WorkspaceShare & Sizes)[]>(sizesSql)
  const [{ total_workspaces = 0, total_groups = 0, total_resources = 0 } = {}] = rows
  const workspace_distribution = rows.map(({ workspace_id, name, members, groups, resources }) => ({
    ...{ workspace_id, name, members, groups, resources },
  }))
  return { total_workspaces, total_groups, total_resources, workspace_distribution }
}
