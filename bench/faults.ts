import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRedisInstalled, startRedis } from '../test/rate-limit/redis-server.ts'
import { cloneDatabase } from '../test/support/database.ts'
import { createTemplateDatabase } from '../test/support/template-database.ts'
import { measureConnections } from './faults/connections.ts'
import { startDedicatedPostgres } from './faults/dedicated-postgres.ts'
import { measureDiskFull } from './faults/disk-full.ts'
import { createFaultEnvironment } from './faults/fault-environment.ts'
import { type FaultResult, formatRow, tableHead } from './faults/fault-result.ts'
import { measureIdle, measureSlowClients } from './faults/idle.ts'
import { measureKills } from './faults/kills.ts'
import { measureLargeMessages } from './faults/large-messages.ts'
import { measurePipelined } from './faults/pipelined.ts'
import { measurePostgresSlow } from './faults/postgres-slow.ts'
import { measurePostgresStopped } from './faults/postgres-stopped.ts'
import { startRedisCluster } from './faults/redis-cluster.ts'
import { measureLimits } from './faults/shared-limits.ts'

/**
 * `npm run faults [-- <words>]`: injects faults around a node and reports the effect on its
 * clients.
 */
const words = process.argv.slice(2)

const dataDir = mkdtempSync(join(tmpdir(), 'daikon-faults-'))
const postgres = await startDedicatedPostgres(dataDir)
process.env.TEST_DATABASE_URL = postgres.url
await createTemplateDatabase(postgres.url)
const database = await cloneDatabase()
const environment = await createFaultEnvironment(database.url)

const faults: Record<string, () => Promise<FaultResult>> = {
  kill: () => measureKills(environment, 200),
  'postgres stopped': () => measurePostgresStopped(environment, postgres, 'fast', 3000),
  'postgres crashed': () => measurePostgresStopped(environment, postgres, 'immediate', 1000),
  'postgres slow': () => measurePostgresSlow(environment, database.url, 50, 4),
  'postgres very slow': () => measurePostgresSlow(environment, database.url, 6000, 14),
  connections: () => measureConnections(environment, database.url, 3),
  'disk full': () => measureDiskFull(3),
  redis: measureRedis,
  'redis cluster': measureRedisCluster,
  idle: () => measureIdle(environment, 1000),
  loris: () => measureSlowClients(environment, 200, 30),
  bombs: () => measureLargeMessages(environment, 10),
  pipelined: () => measurePipelined(environment, 10_000),
}

let failed = 0
process.stdout.write(`${tableHead}\n`)
try {
  for (const [name, measure] of Object.entries(faults)) {
    if (words.length > 0 && !words.some((word) => name.includes(word))) continue
    const measured = await measure()
    process.stdout.write(`${formatRow(measured)}\n`)
    for (const line of measured.problems.slice(0, 10)) process.stdout.write(`  ${line}\n`)
    failed += measured.problems.length
  }
} finally {
  await environment.close()
  await database.drop()
  await postgres.close()
  rmSync(dataDir, { recursive: true })
}
process.exitCode = failed === 0 ? 0 : 1

async function measureRedis(): Promise<FaultResult> {
  const fault = 'Redis killed'
  if (!isRedisInstalled)
    return { fault, outcomes: {}, problems: [], note: 'skipped: redis-server is not installed' }
  const redis = await startRedis()
  try {
    return await measureLimits(environment, fault, [redis.url], 3, redis.stop, redis.start)
  } finally {
    await redis.stop()
  }
}

async function measureRedisCluster(): Promise<FaultResult> {
  const fault = 'a master of a Redis Cluster of six killed'
  if (!isRedisInstalled)
    return { fault, outcomes: {}, problems: [], note: 'skipped: redis-server is not installed' }
  const cluster = await startRedisCluster()
  try {
    return await measureLimits(
      environment,
      fault,
      cluster.urls,
      1,
      cluster.killMaster,
      async () => {},
    )
  } finally {
    await cluster.stop()
  }
}
