import test from 'ava'
import { createClientClass } from '../../src/database/client.ts'
import { createControlConnection } from '../../src/database/control-connection.ts'
import { openOrm } from '../../src/database/orm.ts'
import { migrationTimeouts } from '../../src/database/pool.ts'
import { query } from '../../src/database/query.ts'
import { cloneDatabase } from '../support/database.ts'
import { waitUntil } from '../support/wait-until.ts'

const database = await cloneDatabase()
test.after.always(() => database.drop())

const countSleeping = async () => {
  const { rows } = await database.pool.query(
    `select from pg_stat_activity where datname = current_database() and state = 'active'
      and query like '%pg_sleep(600)%' and pid <> pg_backend_pid()`,
  )
  return rows.length
}

test('a statement is cancelled when the client stops waiting for it', async (t) => {
  const control = createControlConnection({ connectionString: database.url }, () => {})
  const orm = await openOrm(database.url, {
    Client: createClientClass(control.cancel),
    timeouts: { ...migrationTimeouts, query_timeout: 300 },
  })
  try {
    await t.throwsAsync(query(orm.em.fork(), 'select pg_sleep(600)'))
    await waitUntil(async () => (await countSleeping()) === 0)
  } finally {
    await orm.close(true)
    await control.close()
  }
})

test('connections also set timeouts in PostgreSQL', async (t) => {
  const orm = await openOrm(database.url)
  try {
    const [row] = await query(
      orm.em.fork(),
      `select current_setting('statement_timeout') statement, current_setting('lock_timeout') lock`,
    )
    t.deepEqual(row, { statement: '9s', lock: '3s' })
  } finally {
    await orm.close(true)
  }
})
