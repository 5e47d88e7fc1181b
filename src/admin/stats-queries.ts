import type { EntityManager } from '@mikro-orm/postgresql'
import type { Stats } from '../../gen/daikon/v1/admin_records.ts'
import { query } from '../database/query.ts'

type Totals = Pick<
  Stats,
  'total_users' | 'active_users' | 'total_workspaces' | 'total_groups' | 'total_resources'
>

/** Counts resources with index-only scans over the two partial indexes by visibility. */
export async function countTotals(em: EntityManager): Promise<Totals> {
  const [totals] = await query<Totals>(
    em,
    `select u.total_users, u.active_users,
       (select count(*) from workspaces)::int as total_workspaces,
       (select count(*) from groups)::int as total_groups,
       (select (select count(*) from resources where visibility = 'private')
         + (select count(*) from resources where visibility = 'workspace'))::int as total_resources
     from (
       select count(*)::int as total_users, (count(*) filter (where is_active))::int as active_users
       from users
     ) u`,
  )
  return totals as Totals
}

/** Returns the 20 workspaces with the most members. Only their groups and resources are counted. */
export function findLargestWorkspaces(em: EntityManager): Promise<Stats['workspace_distribution']> {
  return query(
    em,
    `select w.id as workspace_id, w.name, w.members,
       (select count(*)::int from groups g where g.workspace_id = w.id) as groups,
       (select count(*)::int from resources r where r.workspace_id = w.id) as resources
     from (
       select w.id, w.name, coalesce(m.count, 0)::int as members from workspaces w
       left join (select workspace_id, count(*) from members group by 1) m on m.workspace_id = w.id
       order by members desc, w.id limit 20
     ) w
     order by w.members desc, w.id`,
  )
}

/**
 * Counts the users created on each of the 30 days (UTC) up to `today`, which has the form
 * `YYYY-MM-DD`.
 */
export function countSignupsByDay(
  em: EntityManager,
  today: string,
): Promise<Stats['signups_by_day']> {
  return query(
    em,
    `select to_char(day, 'YYYY-MM-DD') as day, coalesce(signups.count, 0)::int as count
     from generate_series($1::date - 29, $1::date, interval '1 day') day
     left join (
       select date_trunc('day', created_at at time zone 'UTC') as day, count(*)
       from users
       where created_at >= ($1::date - 29)::timestamp at time zone 'UTC'
         and created_at < ($1::date + 1)::timestamp at time zone 'UTC'
       group by 1
     ) signups using (day)
     order by day`,
    [today],
  )
}

/**
 * Counts the sign-ins to client apps on each of the 30 days (UTC) up to `now`. Entry IDs start with
 * their creation time, so the index on action and ID locates the first entry.
 */
export function countSignInsByDay(em: EntityManager, now: Date): Promise<Stats['sign_ins_by_day']> {
  const today = now.toISOString().slice(0, 10)
  const firstDay = Date.parse(`${today}T00:00:00Z`) - 29 * 86_400_000
  return query(
    em,
    `select to_char(day, 'YYYY-MM-DD') as day, coalesce(sign_ins.count, 0)::int as count
     from generate_series($1::date - 29, $1::date, interval '1 day') day
     left join (
       select date_trunc('day', created_at at time zone 'UTC') as day, count(*)
       from activity
       where action = 'user.signed_in' and id >= $2::uuid
         and created_at >= ($1::date - 29)::timestamp at time zone 'UTC'
         and created_at < ($1::date + 1)::timestamp at time zone 'UTC'
       group by 1
     ) sign_ins using (day)
     order by day`,
    // Allows for clocks of the node and the database that differ by up to a day.
    [today, lowestIdAt(firstDay - 86_400_000)],
  )
}

/** Returns the lowest version 7 UUID for a time in milliseconds since the epoch. */
function lowestIdAt(time: number): string {
  const digits = time.toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000000`
}
