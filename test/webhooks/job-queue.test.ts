import { randomUUID } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import { openDatabase } from '../../src/database/database.ts'
import { openWebhookJobs, type WebhookJob } from '../../src/webhooks/store/job-queue.ts'
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
  await jobs.add([quick('a')])
  await jobs.add([quick('a')])
  await jobs.add([quick('b')], new Date(Date.now() + 3_600_000))
  const taken = await jobs.take(10, false)
  t.deepEqual(webhooksOf(taken), ['a'])
  await jobs.renew(taken)
  await jobs.complete(taken)
  t.deepEqual(webhooksOf(await jobs.take(10, false)), [])
  await jobs.maintain()
  t.deepEqual(failures, [])
})

test('a webhook has one job at a time, also of those that were delayed or are slow', async (t) => {
  const { jobs, pass } = await openJobs(t)
  await jobs.add([quick('a')])
  await jobs.add([quick('a')], new Date(Date.now() + 1000))
  await jobs.add([slow('a'), slow('b')])
  const first = await jobs.take(10, false)
  t.deepEqual(webhooksOf(first), ['a'])
  await pass(2)
  t.deepEqual(webhooksOf(await jobs.take(10, false)), [], 'the delayed one waits')
  t.deepEqual(webhooksOf(await jobs.take(10, true)), ['b'], 'slow ones are taken separately')
  await jobs.complete(first)
  t.deepEqual(webhooksOf(await jobs.take(10, false)), ['a'])
})

test('the job of a killed node is taken over when its lease has ended', async (t) => {
  const { jobs, pass } = await openJobs(t)
  await jobs.add([quick('killed'), quick('alive')])
  const taken = await jobs.take(10, false)
  const [killed, alive] = ['killed', 'alive'].map((id) =>
    taken.filter(({ webhookId }) => webhookId === id),
  ) as [WebhookJob[], WebhookJob[]]
  await pass(10)
  await jobs.renew(alive)
  await jobs.maintain()
  t.deepEqual(await jobs.take(10, false), [], 'no lease has ended')
  await pass(10)
  await jobs.maintain()
  const again = await jobs.take(10, false)
  t.deepEqual(webhooksOf(again), ['killed'])
  // The node was only paused, and ends the job that it has lost.
  await jobs.complete(killed)
  await jobs.add([quick('killed')])
  t.deepEqual(await jobs.take(10, false), [], 'the job is still in progress')
  await jobs.complete(again)
  t.deepEqual(webhooksOf(await jobs.take(10, false)), ['killed'])
})

const quick = (id: string) => ({ id, isSlow: false })
const slow = (id: string) => ({ id, isSlow: true })
const webhooksOf = (jobs: WebhookJob[]) => jobs.map(({ webhookId }) => webhookId).toSorted()

/** Opens the queue. `pass` lets seconds pass for all jobs. */
async function openJobs(t: ExecutionContext) {
  const { pool, url, drop } = await cloneDatabase()
  const database = await openDatabase(url, () => {})
  const jobs = openWebhookJobs(database.execute, (error) => t.fail(String(error)))
  t.teardown(async () => {
    await jobs.stop()
    await database.close()
    await drop()
  })
  const pass = async (seconds: number) => {
    const earlier = (column: string) => `${column} = ${column} - interval '${seconds} seconds'`
    const times = ['start_after', 'started_on', 'heartbeat_on'].map(earlier)
    await pool.query(`update pgboss.job set ${times.join(', ')}`)
    await pool.query(`update pgboss.queue set ${earlier('monitor_claim_on')}, monitor_on = null`)
  }
  return { jobs, pass }
}
