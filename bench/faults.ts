import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRedisInstalled, startRedis } from '../test/rate-limit/redis-server.ts'
import { cloneDatabase } from '../test/support/database.ts'
import { createTemplateDatabase } from '../test/support/template-database.ts'
import { measureBombs } from './faults/bombs.ts'
import { measureConnections } from './faults/connections.ts'
import { measureDiskFull } from './faults/disk-full.ts'
import { measureIdle, measureLoris } from './faults/idle.ts'
import { measureKills } from './faults/kills.ts'
import { head, type Measure, row } from './faults/measure.ts'
import { startOwnPostgres } from './faults/own-postgres.ts'
import { measurePipelined } from './faults/pipelined.ts'
import { measurePostgresSlow } from './faults/postgres-slow.ts'
import { measurePostgresStopped } from './faults/postgres-stopped.ts'
import { startRedisCluster } from './faults/redis-cluster.ts'
import { measureLimits } from './faults/shared-limits.ts'
import { openSite } from './faults/site.ts'

/** `npm run faults [-- <words>]`: what breaks around a node, and what its clients see of it. */
const words = process.argv.slice(2)

const dataDir = mkdtempSync(join(tmpdir(), 'daikon-faults-'))
const postgres = await startOwnPostgres(dataDir)
process.env.TEST_DATABASE_URL = postgres.url
await createTemplateDatabase(postgres.url)
const database = await cloneDatabase()
const site = await openSite(database.url)

const faults: Record<string, () => Promise<Measure>> = {
  kill: () => measureKills(site, 200),
  'postgres stopped': () => measurePostgresStopped(site, postgres, 'fast', 3000),
  'postgres crashed': () => measurePostgresStopped(site, postgres, 'immediate', 1000),
  'postgres slow': () => measurePostgresSlow(site, database.url, 50, 4),
  'postgres very slow': () => measurePostgresSlow(site, database.url, 6000, 14),
  connections: () => measureConnections(site, database.url, 3),
  'disk full': () => measureDiskFull(3),
  redis: measureRedis,
  'redis cluster': measureRedisCluster,
  idle: () => measureIdle(site, 1000),
  loris: () => measureLoris(site, 200, 30),
  bombs: () => measureBombs(site, 10),
  pipelined: () => measurePipelined(site, 10_000),
}

let failed = 0
process.stdout.write(`${head}\n`)
try {
  for (const [name, measure] of Object.entries(faults)) {
    if (words.length > 0 && !words.some((word) => name.includes(word))) continue
    const measured = await measure()
    process.stdout.write(`${row(measured)}\n`)
    for (const line of measured.lost.slice(0, 10)) process.stdout.write(`  ${line}\n`)
    failed += measured.lost.length
  }
} finally {
  await site.close()
  await database.drop()
  await postgres.close()
  rmSync(dataDir, { recursive: true })
}
process.exitCode = failed === 0 ? 0 : 1

async function measureRedis(): Promise<Measure> {
  const fault = 'Redis killed'
  if (!isRedisInstalled) return { fault, saw: {}, lost: [], note: 'not run: no redis-server' }
  const redis = await startRedis()
  try {
    return await measureLimits(site, fault, [redis.url], 3, redis.stop, redis.start)
  } finally {
    await redis.stop()
  }
}

async function measureRedisCluster(): Promise<Measure> {
  const fault = 'a master of a Redis Cluster of six killed'
  if (!isRedisInstalled) return { fault, saw: {}, lost: [], note: 'not run: no redis-server' }
  const cluster = await startRedisCluster()
  try {
    return await measureLimits(site, fault, cluster.urls, 1, cluster.killMaster, async () => {})
  } finally {
    await cluster.stop()
  }
}
