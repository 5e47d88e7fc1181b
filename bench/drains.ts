import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cloneDatabase } from '../test/support/database.ts'
import { createTemplateDatabase } from '../test/support/template-database.ts'
import { measureDrains } from './drains/measure-drains.ts'
import { startDedicatedPostgres } from './faults/dedicated-postgres.ts'
import { createFaultEnvironment } from './faults/fault-environment.ts'

/**
 * `npm run drains [-- <number>]`: drains nodes behind nginx under load, and reports the calls that
 * failed.
 */
const drains = Number(process.argv[2] ?? 20)

const dataDir = mkdtempSync(join(tmpdir(), 'daikon-drains-'))
const postgres = await startDedicatedPostgres(dataDir)
process.env.TEST_DATABASE_URL = postgres.url
await createTemplateDatabase(postgres.url)
const database = await cloneDatabase()
const environment = await createFaultEnvironment(database.url)
try {
  const { calls, failures, refusals, milliseconds, log } = await measureDrains(environment, drains)
  const longest = (Math.max(...milliseconds) / 1000).toFixed(1)
  process.stdout.write(
    `${drains} drains of at most ${longest} s: ${calls.rest} REST calls, ${calls.grpc} gRPC calls, ${failures.length} without a response, ${refusals.length} unavailable\n`,
  )
  for (const failure of [...failures, ...refusals].slice(0, 20))
    process.stdout.write(`  ${failure}\n`)
  if (failures.length > 0) process.stdout.write(log)
  process.exitCode = failures.length === 0 ? 0 : 1
} finally {
  await environment.close()
  await database.drop()
  await postgres.close()
  rmSync(dataDir, { recursive: true })
}
