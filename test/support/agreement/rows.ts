import type { Pool } from 'pg'

/** The tables that decide who may do what. The oracle reads all their rows. */
const tables = [
  ...['users', 'members', 'groups', 'group_members', 'group_parents'],
  ...['custom_role_actions', 'custom_role_members', 'custom_role_groups', 'service_actions'],
  ...['resource_kinds', 'resources', 'shares', 'resource_links', 'resource_roles'],
  ...['resource_requirements', 'service_apps', 'service_keys', 'service_routes', 'denied_tokens'],
  ...['api_keys', 'delegations', 'deleted_trees', 'deleted_workspaces'],
] as const

type Row = Record<string, any>

/** Every row of a database at one moment, and the time of its clock. */
export type Rows = Record<(typeof tables)[number], Row[]> & { now: number }

const sql = `select json_build_object('now', extract(epoch from statement_timestamp()) * 1000, ${tables
  .map((table) => `'${table}', (select coalesce(json_agg(t), '[]') from ${table} t)`)
  .join(', ')}) as rows`

/** A call or a statement that fails because a server is not available. */
export class Unavailable extends Error {}

/** Throws `Unavailable` if an error is a lost connection, or the error itself. */
export function throwUnavailable(error: unknown): never {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  const isLost = /^(57P|08|25006|ECONN|EPIPE)/.test(code) || /terminated|timeout/i.test(message)
  throw isLost ? new Unavailable(message, { cause: error }) : error
}

/** Reads all rows in one statement, and so in one snapshot. */
export async function readRows(pool: Pick<Pool, 'query'>): Promise<Rows> {
  const { rows } = await pool.query(sql).catch(throwUnavailable)
  return rows[0].rows
}

/** Whether a row with an `expires_at` is in force. */
export function isLive({ now }: Rows, { expires_at }: Row): boolean {
  return expires_at === null || Date.parse(expires_at) > now
}
