import test from 'ava'
import pg from 'pg'
import { nextPageSql, windowSql } from '../../src/access-keys/store/resource-change-store.ts'
import { cloneDatabase } from '../support/database.ts'

// Streams read records five times a second, while those of hours are kept.
const records = 50_000
const database = await cloneDatabase()
const pool = new pg.Pool({ connectionString: database.url, max: 1 })
test.after.always(async () => {
  await pool.end()
  await database.drop()
})

const statements = {
  window: { sql: windowSql, types: 'pg_snapshot, text, xid8, bigint', more: '' },
  'next page': {
    sql: nextPageSql,
    types: 'pg_snapshot, text, xid8, bigint, pg_snapshot',
    more: ', pg_current_snapshot()',
  },
}

test.before(async () => {
  await pool.query(
    `insert into resource_changes (scope, kind_id, resource_id)
     select 'r', n, gen_random_uuid() from generate_series(1, ${records}) n`,
  )
  await pool.query('analyze resource_changes')
})

/** Returns the pages that a statement reads of what is recorded after `since`, and after a place. */
async function countPages(name: keyof typeof statements, since: string, place: string) {
  const { sql, types, more } = statements[name]
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query('set local plan_cache_mode = force_generic_plan')
    await client.query(`prepare records (${types}) as ${sql}`)
    const execute = `execute records ('${since}', 'docs', ${place}${more})`
    const { rows } = await client.query(`explain (analyze, buffers, format json) ${execute}`)
    const { Plan: plan } = rows[0]['QUERY PLAN'][0]
    return plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
  } finally {
    await client.query('rollback')
    await client.query('deallocate all')
    client.release()
  }
}

for (const name of Object.keys(statements) as (keyof typeof statements)[])
  test.serial(`the ${name} of records does not read those before a snapshot`, async (t) => {
    const { rows } = await pool.query('select pg_current_snapshot()::text as since')
    const { since } = rows[0]
    const [xmax = ''] = since.split(':')
    for (const place of [`'0', 0`, `'${xmax}', 7`]) {
      const pages = await countPages(name, since, place)
      t.true(pages < 50, `${pages} pages after ${place}`)
    }
  })

test.serial('without a snapshot, the window has no records', async (t) => {
  const values = [null, 'docs', '0', '0']
  const { rows } = await pool.query({ text: windowSql, values, rowMode: 'array' })
  t.deepEqual(rows[0]?.slice(3), [null, 0, null, null])
})
