import { randomUUID } from 'node:crypto'
import test from 'ava'
import { sweep } from '../../src/database/sweep.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
const { database } = environment
test.after.always(() => environment.stop())

test.serial('sweeping deletes only expired rows, in batches', async (t) => {
  const insert =
    'insert into denied_tokens select gen_random_uuid(), $1 from generate_series(1, $2)'
  const now = new Date('2026-11-21T12:00:00Z')
  await environment.pool.query(insert, [new Date('2026-11-21T11:59:00Z'), 1500])
  await environment.pool.query(insert, [new Date('2026-11-21T12:01:00Z'), 3])
  t.is(await sweep(database, now), 1000)
  t.is(await sweep(database, now), 500)
  t.is(await sweep(database, now), 0)
  const { rows } = await environment.pool.query('select count(*)::int from denied_tokens')
  t.is(rows[0].count, 3)
  t.is(await sweep(database, new Date('2026-11-21T12:02:00Z')), 3)
})

test.serial('only one node sweeps at a time', async (t) => {
  await environment.seed.denyToken(randomUUID())
  const other = await environment.pool.connect()
  await other.query("select pg_advisory_lock(hashtext('daikon sweep'))")
  t.is(await sweep(database, new Date('2100-01-01')), 0)
  await other.query("select pg_advisory_unlock(hashtext('daikon sweep'))")
  other.release()
  t.is(await sweep(database, new Date('2100-01-01')), 1)
})
