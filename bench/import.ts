import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { OnProgress } from '../src/core/on-progress.ts'
import { defaultQuotas } from '../src/core/quotas.ts'
import { executeCsvImport, previewCsvImport } from '../src/csv-import/import.ts'
import { openDatabase } from '../src/database/database.ts'
import { startEmbedded } from '../src/database/embedded/embedded-postgres.ts'
import { migrate } from '../src/database/migrate.ts'
import { createStores } from '../src/server/stores.ts'
import { cpuTimeOf, findPostmaster } from './cpu-time.ts'

/**
 * `node --expose-gc bench/import.ts [<megabytes>]`: imports files of new people, by default of 1
 * and 5 MB. Reports elapsed time by phase, CPU time by process, the longest event loop delay, and
 * the additional memory as a multiple of the file size.
 */
const sizes = process.argv[2] ? [Number(process.argv[2])] : [1, 5]
const folder = await mkdtemp(join(tmpdir(), 'daikon-import-bench-'))
const embedded = await startEmbedded({ dataDir: folder })
try {
  await migrate(embedded.url)
  const postmaster = await findPostmaster(embedded.url)
  const database = await openDatabase(embedded.url, () => {})
  const em = database.fork()
  await em.execute(`insert into workspaces (id, name, slug)
    select gen_random_uuid(), n::text, 'w-' || n from generate_series(1, 20) n`)
  for (const megabytes of sizes) {
    const csv = makeFile(megabytes * 1_000_000, megabytes)
    process.stdout.write(`${megabytes} MB, ${csv.split('\n').length - 2} rows\n`)
    const stores = createStores(database.fork())
    const run = { stores, principal: {}, now: new Date(), quotas: defaultQuotas }
    const steps = {
      preview: (onProgress: OnProgress) => previewCsvImport(run, { csv }, onProgress),
      execute: (onProgress: OnProgress) => executeCsvImport(run, { csv }, onProgress),
      again: (onProgress: OnProgress) => executeCsvImport(run, { csv }, onProgress),
    }
    for (const [name, step] of Object.entries(steps)) {
      const { seconds, phases, node, postgres, delay, memory } = await measure(step, postmaster)
      const times = Object.entries(phases).map(([phase, time]) => `${phase} ${time.toFixed(2)}`)
      process.stdout.write(
        `  ${name}: ${seconds.toFixed(2)} s (${times.join(', ')}); CPU ${node.toFixed(2)} s Node, ` +
          `${postgres.toFixed(2)} s PostgreSQL; delay ${delay.toFixed(0)} ms; ` +
          `memory ${(memory / csv.length).toFixed(1)} ×\n`,
      )
    }
  }
  await database.close()
} finally {
  await embedded.stop()
  await rm(folder, { recursive: true, force: true })
}

/** Creates a file of users who are each in one of 20 workspaces and in two of its groups. */
function makeFile(bytes: number, series: number): string {
  const rows = ['email,name,workspace_slug,role,groups\n']
  for (let size = rows[0]?.length ?? 0, n = 0; size < bytes; n += 1) {
    const slug = `w-${1 + (n % 20)}`
    const row = `person-${series}-${n}@example.com,Person Number ${n},${slug},editor,Team ${n % 50};All\n`
    size += row.length
    rows.push(row)
  }
  return rows.join('')
}

/**
 * Measures times in seconds, the longest event loop delay in milliseconds, and additional memory in
 * bytes.
 */
async function measure(work: (onProgress: OnProgress) => Promise<unknown>, postmaster: number) {
  globalThis.gc?.()
  const before = process.memoryUsage().rss
  let peak = before
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss)
  }, 20)
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const phases: Record<string, number> = {}
  let phase = 'Reading'
  let since = performance.now()
  const enter = (next: string) => {
    const now = performance.now()
    phases[phase] = (phases[phase] ?? 0) + (now - since) / 1000
    phase = next
    since = now
  }
  const cpu = process.cpuUsage()
  const postgres = cpuTimeOf(postmaster)
  const started = performance.now()
  await work((next) => {
    if (next !== phase) enter(next)
  })
  enter('')
  clearInterval(watch)
  delay.disable()
  const { user, system } = process.cpuUsage(cpu)
  return {
    seconds: (performance.now() - started) / 1000,
    phases,
    node: (user + system) / 1e6,
    postgres: (cpuTimeOf(postmaster) - postgres) / 1e6,
    delay: delay.max / 1e6,
    memory: peak - before,
  }
}
