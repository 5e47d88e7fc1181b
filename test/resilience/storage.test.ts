import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { measureConnections } from '../../bench/faults/connections.ts'
import { startDedicatedPostgres } from '../../bench/faults/dedicated-postgres.ts'
import { measureDiskFull } from '../../bench/faults/disk-full.ts'
import { createFaultEnvironment } from '../../bench/faults/fault-environment.ts'
import { acceptableOutcomes, type FaultResult, formatRow } from '../../bench/faults/fault-result.ts'
import { measurePostgresSlow } from '../../bench/faults/postgres-slow.ts'
import { measurePostgresStopped } from '../../bench/faults/postgres-stopped.ts'

// Not shared with other test files, because the tests stop it.
const dataDir = mkdtempSync(join(tmpdir(), 'daikon-faults-'))
const postgres = await startDedicatedPostgres(dataDir)
const environment = await createFaultEnvironment(postgres.url)
// Starting a node applies the migrations.
test.before(async () => (await environment.node()).stop())
test.after.always(async () => {
  await environment.close()
  await postgres.close()
  rmSync(dataDir, { recursive: true })
})

function assertNoProblems(t: ExecutionContext, result: FaultResult, labels: string[]) {
  t.log(formatRow(result))
  t.deepEqual(result.problems, [])
  t.deepEqual(
    Object.keys(result.outcomes).filter((label) => !labels.includes(label)),
    [],
  )
  t.true((result.outcomes.ok ?? 0) > 0)
}

test.serial(
  'if PostgreSQL stops under load, calls return 503, no write is lost, and service resumes by itself',
  async (t) => {
    assertNoProblems(
      t,
      await measurePostgresStopped(environment, postgres, 'fast', 500),
      acceptableOutcomes,
    )
  },
)

test.serial(
  'if PostgreSQL crashes under load, calls return 503, no write is lost, and service resumes by itself',
  async (t) => {
    assertNoProblems(
      t,
      await measurePostgresStopped(environment, postgres, 'immediate', 100),
      acceptableOutcomes,
    )
  },
)

test.serial('if PostgreSQL is slow, responses are late but correct', async (t) => {
  const result = await measurePostgresSlow(environment, postgres.url, 20, 2)
  // On a busy machine, the database may respond too late for some calls.
  assertNoProblems(t, result, ['ok', 'unavailable'])
  t.true((result.outcomes.ok ?? 0) > (result.outcomes.unavailable ?? 0))
})

test.serial(
  'if another client uses every connection, calls return 503, no write is lost, and service resumes',
  async (t) => {
    assertNoProblems(t, await measureConnections(environment, postgres.url, 1), acceptableOutcomes)
  },
)

test.serial(
  'if the disk of PostgreSQL is full, checks go on, writes return 503, and service resumes by itself',
  async (t) => {
    const result = await measureDiskFull(2)
    if (!result.whileFull) {
      // Only root may mount a small disk.
      t.log(result.note)
      t.pass()
      return
    }
    assertNoProblems(t, result, acceptableOutcomes)
    t.true(result.isAlive)
    const { checks, writes } = result.whileFull
    t.deepEqual(Object.keys(checks), ['ok'])
    t.true((writes.unavailable ?? 0) > 0)
    t.deepEqual(
      Object.keys(writes).filter((label) => !['ok', 'unavailable'].includes(label)),
      [],
    )
  },
)
