import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { open, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cloneDatabase } from '../../test/support/database.ts'
import { createTemplateDatabase } from '../../test/support/template-database.ts'
import { startDedicatedPostgres } from './dedicated-postgres.ts'
import { createFaultEnvironment } from './fault-environment.ts'
import type { FaultResult } from './fault-result.ts'
import { findLosses } from './ledger.ts'
import { startTraffic, waitUntilNormal } from './traffic.ts'

/** Fills up the disk of a dedicated PostgreSQL under load and frees it later. */
export async function measureDiskFull(seconds: number): Promise<FaultResult> {
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
    await sleep(500)
    const ballast = join(disk, 'ballast')
    await fill(disk, ballast)
    await sleep(seconds * 1000)
    const { bfree, bsize } = await statfs(disk)
    const during = { ...traffic.outcomes }
    await rm(ballast)
    // PostgreSQL exits if it cannot write its WAL. An operator would restart it.
    const hasExited = await postgres.start()
    const recoveryMilliseconds = await waitUntilNormal(node, workspace)
    await traffic.stop()
    const problems = await findLosses(environment.pool, workspace, traffic.ledger)
    const summary = `${bfree * bsize} bytes left, ${during.unavailable ?? 0} calls rejected`
    const note = `${summary}; PostgreSQL ${hasExited ? 'had exited' : 'kept running'}`
    await node.stop()
    await environment.close()
    await database.drop()
    await postgres.close()
    return { fault, outcomes: traffic.outcomes, problems, recoveryMilliseconds, note }
  } finally {
    if (before) process.env.TEST_DATABASE_URL = before
    spawnSync('umount', ['-l', disk])
    rmSync(disk, { recursive: true, force: true })
  }
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
