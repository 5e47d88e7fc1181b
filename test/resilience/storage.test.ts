import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { measureConnections } from '../../bench/faults/connections.ts'
import { honest, type Measure, row } from '../../bench/faults/measure.ts'
import { startOwnPostgres } from '../../bench/faults/own-postgres.ts'
import { measurePostgresSlow } from '../../bench/faults/postgres-slow.ts'
import { measurePostgresStopped } from '../../bench/faults/postgres-stopped.ts'
import { openSite } from '../../bench/faults/site.ts'

// Of its own, for other tests go on with theirs.
const dataDir = mkdtempSync(join(tmpdir(), 'daikon-faults-'))
const postgres = await startOwnPostgres(dataDir)
const site = await openSite(postgres.url)
test.before(async () => (await site.node()).stop()) // it migrates
test.after.always(async () => {
  await site.close()
  await postgres.close()
  rmSync(dataDir, { recursive: true })
})

function withoutLoss(t: ExecutionContext, measure: Measure, labels: string[]) {
  t.log(row(measure))
  t.deepEqual(measure.lost, [])
  t.deepEqual(
    Object.keys(measure.saw).filter((label) => !labels.includes(label)),
    [],
  )
  t.true((measure.saw.ok ?? 0) > 0)
}

test.serial('PostgreSQL stops under load: 503, nothing lost, back by itself', async (t) => {
  withoutLoss(t, await measurePostgresStopped(site, postgres, 'fast', 500), honest)
})

test.serial('PostgreSQL crashes under load: 503, nothing lost, back by itself', async (t) => {
  withoutLoss(t, await measurePostgresStopped(site, postgres, 'immediate', 100), honest)
})

test.serial('PostgreSQL is slow: answers are late and right', async (t) => {
  withoutLoss(t, await measurePostgresSlow(site, postgres.url, 20, 2), ['ok'])
})

test.serial('somebody else has every connection: 503, nothing lost, back by itself', async (t) => {
  withoutLoss(t, await measureConnections(site, postgres.url, 1), honest)
})
