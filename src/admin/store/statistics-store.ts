import type { EntityManager } from '@mikro-orm/postgresql'
import type { Stats } from '../../../gen/daikon/v1/admin_records.ts'
import { query } from '../../database/query.ts'
import { lowestIdAt } from '../../database/sql-values.ts'

type Totals = Pick<
  Stats,
  'total_users' | 'active_users' | 'total_workspaces' | 'total_groups' | 'total_resources'
>

/** The statistics of the dashboard. */
export class StatisticsStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  async countTotals(): Promise<Totals> {
    const [totals] = await query<Totals>(this.#em, totalsSql)
    return totals as Totals
  }

  /**
   * Returns the 20 workspaces with the most members. Only their groups and resources are counted.
   */
  findLargestWorkspaces(): Promise<Stats['workspace_distribution']> {
    return query(this.#em, largestWorkspacesSql)
  }

  /** Counts the users created on each of the 30 days (UTC) up to `now`. */
  countSignupsByDay(now: Date): Promise<Stats['signups_by_day']> {
    return query(this.#em, signupsSql, [dayOf(now)])
  }

  /** Counts the sign-ins to client apps on each of the 30 days (UTC) up to `now`. */
  countSignInsByDay(now: Date): Promise<Stats['sign_ins_by_day']> {
    const today = dayOf(now)
    const firstDay = Date.parse(`${today}T00:00:00Z`) - 29 * 86_400_000
    // Allows for clocks of the node and the database that differ by up to a day.
    return query(this.#em, signInsSql, [today, lowestIdAt(firstDay - 86_400_000)])
  }
}

/** Returns the day in UTC as `YYYY-MM-DD`. */
function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10)
}

/** Reads the counts of each workspace (migration 021) instead of counting rows. */
const totalsSql = `
  select u.total_users, u.active_users, w.total_workspaces, w.total_groups, w.total_resources
  from (
    select count(*)::int as total_users, (count(*) filter (where is_active))::int as active_users
    from users where workspace_id is null
  ) u, (
    select (select count(*) from workspaces)::int as total_workspaces,
      coalesce(sum(count) filter (where counted = 'groups'), 0)::int as total_groups,
      coalesce(sum(count) filter (where counted = 'resources'), 0)::int as total_resources
    from workspace_counts where workspace_id in (select id from workspaces)
  ) w`

const largestWorkspacesSql = `
  select w.id as workspace_id, w.name, w.members,
    read_workspace_count(w.id, 'groups')::int as groups,
    read_workspace_count(w.id, 'resources')::int as resources
  from (
    select w.id, w.name, (coalesce(m.count, 0) - coalesce(accounts.count, 0))::int as members
    from workspaces w
    left join (
      select workspace_id, sum(count) as count from workspace_counts
      where counted = 'members' group by workspace_id
    ) m on m.workspace_id = w.id
    left join (
      select workspace_id, count(*) from service_accounts group by workspace_id
    ) accounts on accounts.workspace_id = w.id
    order by members desc, w.id limit 20
  ) w
  order by w.members desc, w.id`

/** $1 last day. */
const signupsSql = `
  select to_char(day, 'YYYY-MM-DD') as day, coalesce(signups.count, 0)::int as count
  from generate_series($1::date - 29, $1::date, interval '1 day') day
  left join (
    select date_trunc('day', created_at at time zone 'UTC') as day, count(*)
    from users
    where workspace_id is null
      and created_at >= ($1::date - 29)::timestamp at time zone 'UTC'
      and created_at < ($1::date + 1)::timestamp at time zone 'UTC'
    group by 1
  ) signups using (day)
  order by day`

/**
 * $1 last day, $2 an ID below the IDs of the first day. IDs of entries start with their creation
 * time, so the index on action and ID locates the first entry.
 */
const signInsSql = `
  select to_char(day, 'YYYY-MM-DD') as day, coalesce(sign_ins.count, 0)::int as count
  from generate_series($1::date - 29, $1::date, interval '1 day') day
  left join (
    select date_trunc('day', created_at at time zone 'UTC') as day, count(*)
    from activity
    where action = 'user.signed_in' and id >= $2::uuid
      and created_at >= ($1::date - 29)::timestamp at time zone 'UTC'
      and created_at < ($1::date + 1)::timestamp at time zone 'UTC'
    group by 1
  ) sign_ins using (day)
  order by day`
