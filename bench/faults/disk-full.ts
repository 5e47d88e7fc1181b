import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { open, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cloneDatabase } from '../../test/support/database.ts'
import { createTemplateDatabase } from '../../test/support/template-database.ts'
import { findLosses } from './ledger.ts'
import type { Measure } from './measure.ts'
import { startOwnPostgres } from './own-postgres.ts'
import { openSite } from './site.ts'
import { startTraffic, untilNormal } from './traffic.ts'

/** The disk of a PostgreSQL of its own runs full under load, and later has room again. */
export async function measureDiskFull(seconds: number): Promise<Measure> {
  const fault = 'disk full for PostgreSQL'
  const disk = mkdtempSync(join(tmpdir(), 'daikon-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=300m,mode=755', 'tmpfs', disk])
  if (mounted.status !== 0) return { fault, saw: {}, lost: [], note: 'not run: no right to mount' }
  const before = process.env.TEST_DATABASE_URL
  try {
    const postgres = await startOwnPostgres(disk)
    process.env.TEST_DATABASE_URL = postgres.url
    await createTemplateDatabase(postgres.url)
    const database = await cloneDatabase()
    const site = await openSite(database.url)
    const node = await site.node()
    const office = await site.office()
    const traffic = await startTraffic(node, office)
    await sleep(500)
    const ballast = join(disk, 'ballast')
    await fill(disk, ballast)
    await sleep(seconds * 1000)
    const { bfree, bsize } = await statfs(disk)
    const during = { ...traffic.tally }
    await rm(ballast)
    // A PostgreSQL that could not write its log any more has ended: the operator starts it again.
    const ended = await postgres.start()
    const normal = await untilNormal(node, office)
    await traffic.stop()
    const lost = await findLosses(site.pool, office, traffic.ledger)
    const room = `${bfree * bsize} bytes left, ${during.unavailable ?? 0} refused meanwhile`
    const note = `${room}; PostgreSQL ${ended ? 'had ended' : 'went on'}`
    await node.stop()
    await site.close()
    await database.drop()
    await postgres.close()
    return { fault, saw: traffic.tally, lost, normal, note }
  } finally {
    if (before) process.env.TEST_DATABASE_URL = before
    spawnSync('umount', ['-l', disk])
    rmSync(disk, { recursive: true, force: true })
  }
}

/** Writes until nothing goes in any more. */
async function fill(disk: string, path: string): Promise<void> {
  await using file = await open(path, 'w')
  const block = Buffer.alloc(64 * 1024)
  for (;;) {
    const { bfree, bsize } = await statfs(disk)
    if (bfree * bsize < block.length) return
    await file.write(block).catch(() => {})
  }
}
