// A failover behind one address, such as HAProxy, RDS or a service of Kubernetes: sessions begin on a
// server that accepts only reads, and outlive the failover.
import test from 'ava'
import { createFaultEnvironment } from '../../bench/faults/fault-environment.ts'
import { findLosses } from '../../bench/faults/ledger.ts'
import { startTraffic } from '../../bench/faults/traffic.ts'
import { findFreePort } from '../../src/core/free-port.ts'
import { cloneDatabase } from '../support/database.ts'
import { waitUntil } from '../support/wait-until.ts'

const database = await cloneDatabase()
test.after.always(() => database.drop())

const endSessions = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`

test('connections to a server that accepts only reads are closed, and readiness reports it', async (t) => {
  const environment = await createFaultEnvironment(database.url)
  t.teardown(() => environment.close())
  const metricsPort = await findFreePort()
  const node = await environment.node({ METRICS_PORT: `${metricsPort}` })
  t.teardown(() => node.kill())
  const workspace = await environment.workspace()
  const traffic = await startTraffic(node, workspace, 2)
  const { ledger, outcomes } = traffic
  const name = new URL(database.url).pathname.slice(1)
  const readiness = async () => {
    const response = await fetch(`http://127.0.0.1:${metricsPort}/readyz`)
    const { ready, database } = (await response.json()) as { ready: boolean; database: string }
    return { status: response.status, ready, database }
  }
  await waitUntil(() => ledger.registered.size > 20 && ledger.grouped.size > 5)
  t.like(await readiness(), { status: 200, ready: true })

  // A setting that existing sessions keep, as they keep their server.
  await database.pool.query(`alter database ${name} set default_transaction_read_only = on`)
  await database.pool.query(endSessions)
  const refused = outcomes.unavailable ?? 0
  await waitUntil(() => (outcomes.unavailable ?? 0) > refused + 100)
  await waitUntil(async () => (await readiness()).status === 503)
  t.deepEqual(await readiness(), { status: 503, ready: false, database: 'away' })

  const admin = await database.pool.connect()
  await admin.query('set default_transaction_read_only = off')
  await admin.query(`alter database ${name} reset default_transaction_read_only`)
  admin.release(true)
  const resetAt = performance.now()
  const before = { registered: ledger.registered.size, grouped: ledger.grouped.size }
  await waitUntil(
    () => ledger.registered.size > before.registered && ledger.grouped.size > before.grouped,
  )
  t.log(`${(performance.now() - resetAt).toFixed()} ms until writes succeeded`)
  await waitUntil(async () => (await readiness()).status === 200)
  const failures = outcomes.unavailable ?? 0
  await waitUntil(() => ledger.registered.size > before.registered + 20)
  t.is(outcomes.unavailable ?? 0, failures)
  await traffic.stop()
  t.log(outcomes)
  t.deepEqual(Object.keys(outcomes).sort(), ['ok', 'unavailable'])
  t.deepEqual(await findLosses(database.pool, workspace, ledger), [])
})
