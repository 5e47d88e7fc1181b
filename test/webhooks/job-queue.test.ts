import { randomUUID } from 'node:crypto'
import test from 'ava'
import { openDatabase } from '../../src/database/database.ts'
import { openWebhookJobs } from '../../src/webhooks/store/job-queue.ts'
import { cloneDatabase } from '../support/database.ts'

test('a node whose role cannot create or change tables runs the queue', async (t) => {
  const { pool, url, drop } = await cloneDatabase()
  const role = `node_${randomUUID().slice(0, 8)}`
  await pool.query(`create role ${role} login password 'secret'`)
  for (const schema of ['public', 'pgboss']) {
    await pool.query(`grant usage on schema ${schema} to ${role}`)
    await pool.query(
      `grant select, insert, update, delete on all tables in schema ${schema} to ${role}`,
    )
    await pool.query(`grant usage on all sequences in schema ${schema} to ${role}`)
  }
  const own = Object.assign(new URL(url), { username: role, password: 'secret' }).href
  const failures: unknown[] = []
  const database = await openDatabase(own, () => {})
  const jobs = openWebhookJobs(database.execute, (error) => failures.push(error))
  t.teardown(async () => {
    await jobs.stop()
    await database.close()
    await pool.query(`drop owned by ${role}`)
    await pool.query(`drop role ${role}`)
    await drop()
  })
  await t.throwsAsync(database.execute('create table pgboss.other ()'), {
    message: /permission denied/,
  })
  await jobs.add(['a'])
  await jobs.add(['a'])
  await jobs.add(['b'], new Date(Date.now() + 60_000))
  const taken = await jobs.take(10)
  t.deepEqual(
    taken.map(({ webhookId }) => webhookId),
    ['a'],
  )
  await jobs.add(['a'])
  t.deepEqual(await jobs.take(10), [], 'a webhook has one job at a time')
  await jobs.complete(taken)
  t.is((await jobs.take(10)).length, 1)
  await jobs.maintain()
  t.deepEqual(failures, [])
})
