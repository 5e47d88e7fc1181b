import { randomUUID } from 'node:crypto'
import test from 'ava'
import { openDatabase } from '../../src/storage/database.ts'
import { sweep } from '../../src/storage/sweep.ts'
import { startWorld } from '../support/world.ts'

const world = await startWorld()
const database = openDatabase(world.databaseUrl, () => {})
test.after.always(async () => {
  await database.close()
  await world.stop()
})

test.serial('what has expired is swept in batches, and nothing else', async (t) => {
  const insert =
    'insert into denied_tokens select gen_random_uuid(), $1 from generate_series(1, $2)'
  const now = new Date('2026-11-21T12:00:00Z')
  await world.pool.query(insert, [new Date('2026-11-21T11:59:00Z'), 1500])
  await world.pool.query(insert, [new Date('2026-11-21T12:01:00Z'), 3])
  t.is(await sweep(database, now), 1000)
  t.is(await sweep(database, now), 500)
  t.is(await sweep(database, now), 0)
  const { rows } = await world.pool.query('select count(*)::int from denied_tokens')
  t.is(rows[0].count, 3)
  t.is(await sweep(database, new Date('2026-11-21T12:02:00Z')), 3)
})

test.serial('of two nodes that sweep at once one passes', async (t) => {
  await world.seed.denyToken(randomUUID())
  const other = await world.pool.connect()
  await other.query("select pg_advisory_lock(hashtext('daikon sweep'))")
  t.is(await sweep(database, new Date('2100-01-01')), 0)
  await other.query("select pg_advisory_unlock(hashtext('daikon sweep'))")
  other.release()
  t.is(await sweep(database, new Date('2100-01-01')), 1)
})
