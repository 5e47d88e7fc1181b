import type { TestEnvironment } from './test-environment.ts'
import type { Outcome } from './transports.ts'
import { waitUntil } from './wait-until.ts'

/** Converts an outcome to text, without the parts that differ between identical calls. */
export function normalizeOutcome(outcome: Outcome): string {
  const { headers, ...rest } = outcome
  const { date, 'x-request-id': _, ...others } = headers
  return normalizeText(JSON.stringify({ ...rest, headers: others }))
}

/** Replaces IDs, key prefixes and timestamps, except timestamps in 2000, which tests create. */
export function normalizeText(text: string): string {
  // The random part of one secret can contain the prefix of another.
  return text
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, '<id>')
    .replace(/(?<![\w-])whsec_[A-Za-z0-9+/=]+/g, '<secret>')
    .replace(/(?!2000)\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)/g, '<time>')
    .replace(/"key_prefix": ?"dk_[\w-]*"/g, '"key_prefix": "<prefix>"')
    .replace(/"challenge":"[\w-]+"/g, '"challenge":"<challenge>"')
    .replace(/"id":"[\w-]{86}"/g, '"id":"<handle>"')
    .replace(/(?<![\w-])da_[\w-]+/g, '<API key>')
    .replace(/(?<![\w-])dm_[\w-]+/g, '<management secret>')
    .replace(/(?<![\w-])ds_[\w-]+/g, '<SCIM token>')
    .replace(/(?<![\w-])dl_[\w-]{43}/g, '<link token>')
    .replace(/\/oauth\/invitations\/[\w-]{43}/g, '<invitation>')
    .replace(/(?<![\w-])dkcs_[\w-]+/g, '<client secret>')
    .replace(/daikon-verification=[\w-]+/g, '<TXT value>')
    .replace(/"xid": "\d+"/g, '"xid": "<xid>"')
    .replace(/(?<![\w-])[0-9a-f]{12}-\d+/g, '<position>')
    .replace(/"(holders|levels)":\[[^\]]*\]/g, '"$1":[<access keys>]')
    .replace(/"kind_id": \d+/g, '"kind_id": <kind>')
}

const tables = ['users', 'workspaces', 'members', 'groups', 'group_members', 'resources', 'shares']
  .concat([
    'group_parents',
    'custom_roles',
    'custom_role_members',
    'custom_role_actions',
    'service_actions',
  ])
  .concat(['service_apps', 'refresh_families', 'refresh_tokens', 'activity'])

/**
 * Returns every row that contains one of the words, as sorted text. `since` is a result of
 * `readTransactionId`, and makes the search faster by excluding rows written before it.
 */
export async function findRowsContaining(
  { pool }: TestEnvironment,
  words: string[],
  since = 0,
): Promise<string[]> {
  const rows = tables.map(
    (table) =>
      `select '${table} ' || to_jsonb(t)::text as row from ${table} t
      where age(xmin) <= age($2::text::xid)`,
  )
  const sql = `select row from (${rows.join(' union all ')}) as rows where row like any ($1)`
  const { rows: found } = await pool.query(sql, [words.map((word) => `%${word}%`), since])
  return found.map(({ row }) => row as string).toSorted()
}

/** Returns the ID of the next transaction that writes. */
export async function readTransactionId({ pool }: TestEnvironment): Promise<number> {
  const { rows } = await pool.query('select pg_snapshot_xmax(pg_current_snapshot())::text as id')
  return Number(rows[0].id)
}

/** Waits until all transactions have ended that have begun, also those of other databases. */
export async function waitForTransactions(environment: TestEnvironment): Promise<void> {
  const id = await readTransactionId(environment)
  const sql = 'select pg_snapshot_xmin(pg_current_snapshot()) >= $1::text::xid8 as have_ended'
  await waitUntil(async () => (await environment.pool.query(sql, [id])).rows[0].have_ended)
}
