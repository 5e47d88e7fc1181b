import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { startEmbedded } from '../src/database/embedded/embedded-postgres.ts'
import { fuzz, type OutcomeCounts } from '../test/support/fuzz.ts'
import { createTemplateDatabase } from '../test/support/template-database.ts'
import { startTestEnvironment } from '../test/support/test-environment.ts'

/**
 * `npm run fuzz [-- <requests> [<seed>]]`: sends malformed requests to every method over REST and
 * gRPC.
 */
const [requests = 12_000, seed = randomInt(2 ** 31)] = process.argv.slice(2).map(Number)
const rounds = 6

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const dataDir = mkdtempSync(join(tmpdir(), 'daikon-fuzz-'))
const embedded = await startEmbedded({ dataDir })
process.env.TEST_DATABASE_URL = embedded.url
try {
  await createTemplateDatabase(embedded.url)
  const world = await startTestEnvironment()
  const requestsPerMethod = Math.ceil(requests / rounds / 2 / world.app.operations.length)
  const total: OutcomeCounts = {}
  process.stdout.write(`seed ${seed}, ${world.app.operations.length} methods\n`)
  // The first round is a warm-up, so that compiled code and filled caches are not mistaken for
  // leaks.
  for (let round = 0; round <= rounds; round += 1) {
    const started = performance.now()
    const outcomes = await fuzz(world, requestsPerMethod, seed + round)
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    if (round > 0)
      for (const [label, count] of Object.entries(outcomes))
        total[label] = (total[label] ?? 0) + count
    process.stdout.write(`round ${round}: ${sum(outcomes)} requests in ${seconds} s, ${memory()}\n`)
  }
  for (const label of Object.keys(total).toSorted())
    process.stdout.write(`${label}: ${total[label]}\n`)
  process.stdout.write(`${sum(total)} requests, ${world.failures.length} server errors\n`)
  await world.stop()
} finally {
  await embedded.stop()
  rmSync(dataDir, { recursive: true })
}

function sum(outcomes: OutcomeCounts): number {
  return Object.values(outcomes).reduce((total, count) => total + count, 0)
}

/** Returns the memory of this process, which runs both client and server. */
function memory(): string {
  collectGarbage()
  const { heapUsed, rss } = process.memoryUsage()
  const mib = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MiB`
  return `heap ${mib(heapUsed)}, resident ${mib(rss)}`
}
