import test from 'ava'
import { adminDataSql } from '../../bench/admin-queries-data.ts'
import { idOf } from '../../bench/data-set.ts'
import {
  createResourceListSql,
  maxListed,
  type ResourceFilter,
} from '../../src/permissions/store/resource-list-sql.ts'
import { cloneDatabase } from '../support/database.ts'

const { pool, drop } = await cloneDatabase()
test.after.always(drop)

test.before(async () => {
  const size = { users: 2_000, workspaces: 20, resources: 20_000, entries: 100 }
  for (const statement of adminDataSql(size)) await pool.query(statement)
})

/** Returns the executed plan of a statement. */
async function explain(sql: string, values: unknown[]) {
  const { rows } = await pool.query(`explain (analyze, buffers, format json) ${sql}`, values)
  return rows[0]['QUERY PLAN'][0].Plan
}

const workspaceId = idOf('w', 1)
const filters: Record<string, ResourceFilter> = {
  'without a filter': {},
  'of a workspace': { workspaceId },
  'of a visibility': { visibility: 'private' },
  'of a rare visibility': { visibility: 'public' },
  'of a kind': { kindIds: [1] },
  'of a visibility in a workspace': { workspaceId, visibility: 'workspace' },
  'of an owner': { ownerId: idOf('u', 7) },
  'of an unknown owner': { ownerId: idOf('u', 9999) },
  'shared with a user': { granteeId: idOf('u', 7) },
  'with an ID': { resourceIds: [idOf('r', 7)] },
}

for (const [name, filter] of Object.entries(filters)) {
  test(`a page of the resources ${name} reads a bounded number of pages`, async (t) => {
    const list = createResourceListSql(filter, { hidesDeleted: false })
    for (const [sql, values, limit] of [
      [list.count, [], 400],
      [list.page, [20, 0], 300],
      [list.page, [20, maxListed - 20], 800],
    ] as const) {
      const plan = await explain(sql, [...list.values, ...values])
      const pages = plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
      t.true(pages < limit, `${pages} pages: ${JSON.stringify(plan)}`)
    }
  })
}
