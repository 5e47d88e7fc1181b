import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { createCheckBatches } from './check-batches.ts'
import { kind } from './data-set.ts'
import type { Harness } from './harness.ts'
import { interleave, medianLoad, medianOf } from './rounds.ts'
import { formatLoad, type Row } from './table.ts'
import { fetchResponses, writeChecks } from './write-requests.ts'

/** Compares Check with access tokens for one API and with access tokens for everything: the same questions. */
export async function measureApiTokens(
  harness: Harness,
  addRow: (row: Row) => void,
): Promise<void> {
  const { database, quick, rounds, measure, signToken } = harness
  const daikon = harness.daikon()
  const batches = await createCheckBatches(database, 1, quick ? 100 : 2000)
  const uri = await createApi(database.url)
  const forApi = { signToken: (user: number, workspace: number) => signToken(user, workspace, uri) }
  const files = {
    token: writeChecks(harness, 'tokens', await fetchResponses(harness, daikon, batches)).daikon,
    api: writeChecks(harness, 'api-tokens', await fetchResponses(forApi, daikon, batches)).daikon,
  }
  const read = (file: string) => () =>
    measure(daikon, { kind: 'unary', inFlight: 64, files: [file] })
  const results = await interleave(rounds, { token: read(files.token), api: read(files.api) })
  addRow({
    label:
      'Check of 1 item with a token for one API, 64 in flight, CPU compared with another token',
    daikon: formatLoad(medianLoad(results, ({ api }) => api)),
    baseline: formatLoad(medianLoad(results, ({ token }) => token)),
    value: medianOf(results, ({ api, token }) => api.cpu / api.calls / (token.cpu / token.calls)),
    goal: { max: 1.1 },
  })
}

/** Registers an API of the service of the checks. Returns its URI. */
async function createApi(url: string): Promise<string> {
  const uri = `https://${randomUUID()}.example.com`
  const database = new pg.Client({ connectionString: url })
  await database.connect()
  try {
    await database.query(
      `insert into api_resources (id, app_id, uri, name, scopes, position)
       select $1, id, $2, 'Bench', '[{"name":"read","description":"Read"}]',
         (select count(*) from api_resources r where r.app_id = a.id)
       from service_apps a where service_name = $3`,
      [randomUUID(), uri, kind.service_name],
    )
  } finally {
    await database.end()
  }
  return uri
}
