import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { apiKeyPrefix, createApiKey } from '../src/identity/api-keys.ts'
import { hashSecret } from '../src/identity/secret.ts'
import { type CheckBatch, createCheckBatches } from './check-batches.ts'
import { idOf } from './data-set.ts'
import type { Harness } from './harness.ts'
import { interleave, medianLoad, medianOf } from './rounds.ts'
import { formatLoad, type Row } from './table.ts'
import { fetchResponses, writeChecks } from './write-requests.ts'

/**
 * Compares Check with API keys and Check with access tokens: the same questions, about users and about
 * service accounts with the same groups and shares.
 */
export async function measureApiKeys(harness: Harness, addRow: (row: Row) => void): Promise<void> {
  const { database, quick, rounds, measure } = harness
  const daikon = harness.daikon()
  const batches = await createCheckBatches(database, 1, quick ? 100 : 2000)
  const keys = await createAccounts(database.url, batches)
  const withKeys = { signToken: async (user: number) => keys.get(user) as string }
  const files = {
    token: writeChecks(harness, 'tokens', await fetchResponses(harness, daikon, batches)).daikon,
    key: writeChecks(harness, 'api-keys', await fetchResponses(withKeys, daikon, batches)).daikon,
  }
  const read = (file: string) => () =>
    measure(daikon, { kind: 'unary', inFlight: 64, files: [file] })
  const results = await interleave(rounds, { token: read(files.token), key: read(files.key) })
  addRow({
    label: 'Check of 1 item with an API key, 64 in flight, CPU compared with an access token',
    daikon: formatLoad(medianLoad(results, ({ key }) => key)),
    baseline: formatLoad(medianLoad(results, ({ token }) => token)),
    value: medianOf(results, ({ key, token }) => key.cpu / key.calls / (token.cpu / token.calls)),
    goal: { max: 1.1 },
  })
}

/** Creates a service account for each user of the batches. Returns an API key of each, by user. */
async function createAccounts(url: string, batches: CheckBatch[]): Promise<Map<number, string>> {
  const keys = new Map<number, string>()
  const database = new pg.Client({ connectionString: url })
  await database.connect()
  try {
    for (const { user, workspace } of batches) {
      if (keys.has(user)) continue
      const key = createApiKey()
      keys.set(user, key)
      const ids = [randomUUID(), idOf('u', user), idOf('w', workspace)]
      for (const sql of accountSql) await database.query(sql, ids)
      await database.query(keySql, [randomUUID(), ids[0], hashSecret(key), apiKeyPrefix(key)])
    }
  } finally {
    await database.end()
  }
  return keys
}

/** $1 ID of the account, $2 ID of the user, $3 ID of the workspace. */
const accountSql = [
  `insert into users (id, name, workspace_id) select $1, name, $3 from users where id = $2`,
  `insert into members (user_id, workspace_id, role, joined_at)
   select $1, workspace_id, case role when 'owner' then 'admin' else role end, now()
   from members where user_id = $2 and workspace_id = $3`,
  `insert into group_members (group_id, user_id, workspace_id)
   select group_id, $1, workspace_id from group_members where user_id = $2 and workspace_id = $3`,
  `insert into shares (id, kind_id, resource_id, workspace_id, user_id, permission)
   select gen_random_uuid(), kind_id, resource_id, workspace_id, $1, permission
   from shares where user_id = $2 and workspace_id = $3`,
]

/** $1 ID of the key, $2 ID of the account, $3 hash, $4 prefix. */
const keySql = `insert into api_keys (id, user_id, name, key_hash, key_prefix)
  values ($1, $2, 'Bench', $3, $4)`
