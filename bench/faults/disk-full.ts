import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { open, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cloneDatabase } from '../../test/support/database.ts'
import { createTemplateDatabase } from '../../test/support/template-database.ts'
import { startDedicatedPostgres } from './dedicated-postgres.ts'
import { createFaultEnvironment, type TestWorkspace } from './fault-environment.ts'
import type { FaultResult } from './fault-result.ts'
import { findLosses } from './ledger.ts'
import type { NodeProcess } from './node-process.ts'
import { countOutcome, type OutcomeCounts, startTraffic, waitUntilNormal } from './traffic.ts'

/** Calls of one kind while the disk was full. */
type WhileFull = { checks: OutcomeCounts; writes: OutcomeCounts }

/**
 * Fills up the disk of a dedicated PostgreSQL under load and frees it later. `whileFull` is missing if this process
 * may not mount a disk.
 */
export async function measureDiskFull(
  seconds: number,
): Promise<FaultResult & { whileFull?: WhileFull; isAlive?: boolean }> {
  const fault = 'disk full for PostgreSQL'
  const disk = mkdtempSync(join(tmpdir(), 'daikon-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=300m,mode=755', 'tmpfs', disk])
  if (mounted.status !== 0)
    return { fault, outcomes: {}, problems: [], note: 'skipped: mount is not permitted' }
  const before = process.env.TEST_DATABASE_URL
  try {
    const postgres = await startDedicatedPostgres(disk)
    process.env.TEST_DATABASE_URL = postgres.url
    await createTemplateDatabase(postgres.url)
    const database = await cloneDatabase()
    const environment = await createFaultEnvironment(database.url)
    const node = await environment.node()
    const workspace = await environment.workspace()
    const traffic = await startTraffic(node, workspace)
    // Without room for the next 16 MiB of its WAL, PostgreSQL would exit: begins with an empty file.
    await environment.pool.query('select pg_switch_wal()')
    await sleep(500)
    const ballast = join(disk, 'ballast')
    await fill(disk, ballast)
    const whileFull = await callFor(seconds, node, workspace)
    const { bfree, bsize } = await statfs(disk)
    const isAlive = await node.isAlive()
    await rm(ballast)
    // PostgreSQL exits if it cannot write its WAL. An operator would restart it.
    const hasExited = await postgres.start()
    const recoveryMilliseconds = await waitUntilNormal(node, workspace)
    await traffic.stop()
    const problems = await findLosses(environment.pool, workspace, traffic.ledger)
    const note = `${bfree * bsize} bytes left, ${JSON.stringify(whileFull)}; PostgreSQL ${hasExited ? 'had exited' : 'kept running'}`
    await node.stop()
    await environment.close()
    await database.drop()
    await postgres.close()
    const { outcomes } = traffic
    return { fault, outcomes, problems, recoveryMilliseconds, note, whileFull, isAlive }
  } finally {
    if (before) process.env.TEST_DATABASE_URL = before
    spawnSync('umount', ['-l', disk])
    rmSync(disk, { recursive: true, force: true })
  }
}

/**
 * Checks and registers over both transports for a while, and at most a minute more until a write is refused: the first
 * ones fit into what PostgreSQL has allocated.
 */
async function callFor(
  seconds: number,
  { transports }: NodeProcess,
  { service, workspace, key, owner, viewer }: TestWorkspace,
): Promise<WhileFull> {
  const whileFull: WhileFull = { checks: {}, writes: {} }
  const kind = { service_name: service, resource_type: 'document' }
  const end = performance.now() + seconds * 1000
  const last = end + 60_000
  while (performance.now() < (whileFull.writes.unavailable ? end : last)) {
    for (const transport of transports) {
      const document = { ...kind, resource_id: randomUUID() }
      const checks = [{ ...document, action: 'view' }]
      const check = await transport.call('Check', { checks }, { key, token: viewer.token })
      countOutcome(whileFull.checks, check.ok ? 'ok' : check.code)
      const message = { ...document, workspace_id: workspace, owner_id: owner.id }
      const write = await transport.call('Register', message, { key })
      countOutcome(whileFull.writes, write.ok ? 'ok' : write.code)
    }
  }
  return whileFull
}

/** Writes until the disk is full. */
async function fill(disk: string, path: string): Promise<void> {
  await using file = await open(path, 'w')
  const block = Buffer.alloc(64 * 1024)
  for (;;) {
    const { bfree, bsize } = await statfs(disk)
    if (bfree * bsize < block.length) return
    await file.write(block).catch(() => {})
  }
}
