import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { measureConnections } from '../../bench/faults/connections.ts'
import { startDedicatedPostgres } from '../../bench/faults/dedicated-postgres.ts'
import { createFaultEnvironment } from '../../bench/faults/fault-environment.ts'
import { acceptableOutcomes, type FaultResult, formatRow } from '../../bench/faults/fault-result.ts'
import { measurePostgresSlow } from '../../bench/faults/postgres-slow.ts'
import { measurePostgresStopped } from '../../bench/faults/postgres-stopped.ts'

// Of its own, for other tests go on with theirs.
const dataDir = mkdtempSync(join(tmpdir(), 'daikon-faults-'))
const postgres = await startDedicatedPostgres(dataDir)
const environment = await createFaultEnvironment(postgres.url)
test.before(async () => (await environment.node()).stop()) // it migrates
test.after.always(async () => {
  await environment.close()
  await postgres.close()
  rmSync(dataDir, { recursive: true })
})

function withoutLoss(t: ExecutionContext, measure: FaultResult, labels: string[]) {
  t.log(formatRow(measure))
  t.deepEqual(measure.problems, [])
  t.deepEqual(
    Object.keys(measure.outcomes).filter((label) => !labels.includes(label)),
    [],
  )
  t.true((measure.outcomes.ok ?? 0) > 0)
}

test.serial('PostgreSQL stops under load: 503, nothing lost, back by itself', async (t) => {
  withoutLoss(
    t,
    await measurePostgresStopped(environment, postgres, 'fast', 500),
    acceptableOutcomes,
  )
})

test.serial('PostgreSQL crashes under load: 503, nothing lost, back by itself', async (t) => {
  withoutLoss(
    t,
    await measurePostgresStopped(environment, postgres, 'immediate', 100),
    acceptableOutcomes,
  )
})

test.serial('PostgreSQL is slow: answers are late and right', async (t) => {
  withoutLoss(t, await measurePostgresSlow(environment, postgres.url, 20, 2), ['ok'])
})

test.serial('somebody else has every connection: 503, nothing lost, back by itself', async (t) => {
  withoutLoss(t, await measureConnections(environment, postgres.url, 1), acceptableOutcomes)
})
