import test from 'ava'
import type pg from 'pg'
import { createClientClass } from '../../src/database/client.ts'
import { createControlConnection } from '../../src/database/control-connection.ts'
import { openOrm } from '../../src/database/orm.ts'
import { migrationTimeouts } from '../../src/database/pool.ts'
import type { PrecededQueryConfig } from '../../src/database/preceded-query.ts'
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

/** Runs `work` with a client, and returns how often PostgreSQL became ready for the next message. */
async function countRoundTrips(work: (client: pg.Client) => Promise<void>): Promise<number> {
  const client = new (createClientClass() as typeof pg.Client)(database.url)
  await client.connect()
  let count = 0
  const { connection } = client as unknown as { connection: pg.Connection }
  connection.on('readyForQuery', () => {
    count += 1
  })
  try {
    await work(client)
  } finally {
    await client.end()
  }
  return count
}

test('statements that precede another are sent with it', async (t) => {
  const config: PrecededQueryConfig = {
    name: 'settings',
    text: `select current_setting('lock_timeout') as lock, $1 as value`,
    precededBy: ['begin', 'set local lock_timeout = 123'],
  }
  const roundTrips = await countRoundTrips(async (client) => {
    for (const value of ['first', 'prepared']) {
      const { rows } = await client.query({ ...config, values: [value] })
      t.deepEqual(rows, [{ lock: '123ms', value }])
      await client.query('commit')
    }
    t.deepEqual((await client.query('show lock_timeout')).rows, [{ lock_timeout: '0' }])
  })
  t.is(roundTrips, 5)
})

test('no statement runs after one of them has failed, and all can be sent again', async (t) => {
  await countRoundTrips(async (client) => {
    const config = { name: 'read', text: 'select n from preceded' }
    const insert = 'insert into preceded values (1)'
    const read = (...precededBy: string[]) =>
      client.query({ ...config, precededBy } as PrecededQueryConfig)
    await t.throwsAsync(read('begin'), { code: '42P01' })
    await client.query('rollback')
    await client.query('create temporary table preceded (n int)')
    await t.throwsAsync(read('begin', 'set local lock_timeout = none', insert), { code: '22023' })
    await client.query('rollback')
    t.deepEqual((await client.query('table preceded')).rows, [])
    t.deepEqual((await read('begin', insert)).rows, [{ n: 1 }])
    await client.query('rollback')
    t.deepEqual((await read()).rows, [])
  })
})
