import test from 'ava'
import { adminDataSql } from '../../bench/admin-queries-data.ts'
import { idOf } from '../../bench/data-set.ts'
import { recordStatements } from '../../bench/record-statements.ts'
import { listActivity } from '../../src/activity/activity-log.ts'
import { getStats } from '../../src/admin/stats.ts'
import { cloneDatabase } from '../support/database.ts'

const { pool, drop } = await cloneDatabase()
test.after.always(drop)

// ANALYZE reads every row of up to 30,000, and a random sample of more.
const size = { users: 2_000, workspaces: 20, resources: 20_000, entries: 30_000 }
test.before(async () => {
  for (const statement of adminDataSql(size)) await pool.query(statement)
})

type Node = Record<string, unknown> & { Plans?: Node[] }

/** The nodes of the executed plan of each statement. */
async function explain(work: Parameters<typeof recordStatements>[0]): Promise<Node[][]> {
  const plans: Node[][] = []
  for (const { text, values } of await recordStatements(work)) {
    const { rows } = await pool.query(`explain (analyze, buffers, format json) ${text}`, values)
    plans.push(flatten(rows[0]['QUERY PLAN'][0].Plan))
  }
  return plans
}

function flatten(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)]
}

const pages = {
  'without a filter': {},
  'after a cursor': { before: '0199c82c-c000-7000-8000-000000000000' },
  'of an action': { action: 'group.created' },
  'of a rare action': { action: 'workspace.deleted' },
  'of an actor': { actor_id: idOf('u', 7) },
  'of an agent': { agent_id: idOf('u', 7) },
  'of an agent without entries': { agent_id: '0b7b4a3c-3d39-4a3e-9bb5-b1ae6aa1b2c9' },
  'of a workspace': { workspace_id: idOf('w', 1) },
  'of a target': { target_id: '0b7b4a3c-3d39-4a3e-9bb5-b1ae6aa1b2c9' },
  'since and until': { since: '2025-10-09T14:00:00Z', until: '2025-10-09T14:05:00Z' },
  'of a type of target': { target_type: 'permission' },
  'of an action in a workspace': { action: 'workspace.deleted', workspace_id: idOf('w', 1) },
}

for (const [name, filters] of Object.entries(pages)) {
  test(`a page of the log ${name} uses an index and reads few pages`, async (t) => {
    const [nodes = [], ...more] = await explain((stores) =>
      listActivity({ stores }, { limit: 50, ...filters }),
    )
    t.is(more.length, 0)
    t.deepEqual(
      nodes.filter((node) => node['Node Type'] === 'Seq Scan'),
      [],
    )
    const [top] = nodes
    const read = Number(top?.['Shared Hit Blocks']) + Number(top?.['Shared Read Blocks'])
    t.true(read < 250, `${read} pages`)
  })
}

test('the statistics read counts instead of rows', async (t) => {
  const nodes = (await explain((stores) => getStats({ stores, now: new Date() }, {}))).flat()
  const tables = new Set(nodes.map((node) => node['Relation Name']))
  t.false(tables.has('resources'))
  t.true(tables.has('workspace_counts'))
})
