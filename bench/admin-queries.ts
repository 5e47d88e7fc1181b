import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { listActivity } from '../src/activity/activity-log.ts'
import { getStats } from '../src/admin/stats.ts'
import { startEmbedded } from '../src/database/embedded/embedded-postgres.ts'
import { migrate } from '../src/database/migrate.ts'
import { adminDataSql } from './admin-queries-data.ts'
import { idOf } from './data-set.ts'
import { recordStatements, type Statement } from './record-statements.ts'

/**
 * `node bench/admin-queries.ts [--quick] [--explain]`: measures the statements of the dashboard
 * statistics and of pages of the activity log, and prints their plans. The database has a million
 * resources and events.
 */
const quick = process.argv.includes('--quick')
const showPlans = process.argv.includes('--explain')
const part = quick ? 100 : 1
const size = {
  users: 100_000 / part,
  workspaces: 200 / part,
  resources: 1_000_000 / part,
  entries: 1_000_000 / part,
}
const runs = 15

const dataDir = await mkdtemp(join(tmpdir(), 'daikon-records-'))
const embedded = await startEmbedded({ dataDir })
try {
  await migrate(embedded.url)
  const client = new pg.Client({ connectionString: embedded.url })
  await client.connect()
  await client.query('set session_replication_role = replica')
  for (const statement of adminDataSql(size)) await client.query(statement)
  const { rows } = await client.query('select id from activity order by id offset $1 limit 1', [
    size.entries / 2,
  ])

  const before: string = rows[0].id
  const [actor_id, workspace_id] = [idOf('u', 7), idOf('w', 1)]
  const pages = {
    'the newest': {},
    'from the middle on': { before },
    'of an action': { action: 'group.created' },
    'of a rare action': { action: 'workspace.deleted' },
    'of an actor': { actor_id },
    'of a workspace': { workspace_id },
    'of a type of target': { target_type: 'permission' },
    'of a rare action in a workspace': { action: 'workspace.deleted', workspace_id },
    'of an actor in a workspace that never met': { actor_id, workspace_id: idOf('w', 2) },
    'of a workspace, a type and an action that exclude each other': {
      workspace_id,
      target_type: 'permission',
      action: 'group.created',
    },
  }
  const figures = ['totals', 'distribution', 'sign-ups', 'recent activity']
  const counted = await recordStatements((stores) => getStats({ stores, now: new Date() }, {}))
  const namedStatements = counted.map((statement, index) => ({
    name: `figures: ${figures[index]}`,
    statement,
  }))
  for (const [name, filters] of Object.entries(pages)) {
    const request = { limit: 200, ...filters }
    const sent = await recordStatements((stores) => listActivity({ stores }, request))
    namedStatements.push(...sent.map((statement) => ({ name: `200 entries ${name}`, statement })))
  }
  const times: string[] = []
  const plans: string[] = []
  for (const { name, statement } of namedStatements) {
    const { plan, milliseconds } = await explain(client, statement)
    times.push(`${name}: ${milliseconds.toFixed(2)} ms`)
    plans.push(`-- ${name}\n\n${plan}`)
  }
  await client.end()
  const amount = Object.entries(size).map(([name, count]) => `${count} ${name}`)
  const head = `${amount.join(', ')}; the best of ${runs} runs:\n${times.join('\n')}`
  process.stdout.write(`${head}\n`)
  if (showPlans) process.stdout.write(`\n${plans.join('\n\n')}\n`)
} finally {
  await embedded.stop()
  await rm(dataDir, { recursive: true, force: true })
}

/** Returns the plan of a statement and its best time without EXPLAIN. */
async function explain(client: pg.Client, { text, values }: Statement) {
  const times: number[] = []
  for (let run = 0; run < runs; run += 1) {
    const start = performance.now()
    await client.query(text, values)
    times.push(performance.now() - start)
  }
  const { rows } = await client.query(`explain (analyze, buffers, timing off) ${text}`, values)
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  return { plan, milliseconds: Math.min(...times) }
}
