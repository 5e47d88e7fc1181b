import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { parse } from 'csv-parse/sync'
import { executeCsvImport, previewCsvImport } from '../src/admin/import/import.ts'
import { defaultQuotas } from '../src/core/quotas.ts'
import { openDatabase } from '../src/database/database.ts'
import { startEmbedded } from '../src/database/embedded/embedded-postgres.ts'
import { migrate } from '../src/database/migrate.ts'

/**
 * `node bench/import.ts`: imports files of 1 and 5 MB. Reports the time as a ratio to parsing alone, the
 * longest event loop delay, and the additional memory as a ratio to the file size.
 */
const folder = await mkdtemp(join(tmpdir(), 'daikon-import-bench-'))
const embedded = await startEmbedded({ dataDir: folder })
try {
  await migrate(embedded.url)
  const database = await openDatabase(embedded.url, () => {})
  const em = database.fork()
  await em.execute(`insert into workspaces (id, name, slug)
    select gen_random_uuid(), n::text, 'w-' || n from generate_series(1, 20) n`)
  process.stdout.write('file, rows: parsing; each step as a ratio to it (wait, memory / file)\n')
  for (const megabytes of [1, 5]) {
    const csv = makeFile(megabytes * 1_000_000, megabytes)
    const run = { em: database.fork(), principal: {}, quotas: defaultQuotas }
    const parsing = await measure(async () => parse(csv))
    const steps = [
      ['preview', await measure(() => previewCsvImport(run, { csv }))],
      ['execute', await measure(() => executeCsvImport(run, { csv }))],
      ['again', await measure(() => executeCsvImport(run, { csv }))],
    ] as const
    const rows = csv.split('\n').length - 2
    process.stdout.write(`${megabytes} MB, ${rows}: ${parsing.seconds.toFixed(2)} s\n`)
    for (const [name, { seconds, wait, memory }] of steps) {
      const ratio = (seconds / parsing.seconds).toFixed(1)
      const times = (memory / csv.length).toFixed(0)
      process.stdout.write(
        `  ${name} ${ratio} × (${seconds.toFixed(2)} s, ${wait.toFixed(0)} ms, ${times} ×)\n`,
      )
    }
  }
  await database.close()
} finally {
  await embedded.stop()
  await rm(folder, { recursive: true, force: true })
}

/** Users who are each in one of 20 workspaces and in two of its groups. */
function makeFile(bytes: number, series: number): string {
  const rows = ['email,name,workspace_slug,role,groups\n']
  for (let size = rows[0]?.length ?? 0, n = 0; size < bytes; n += 1) {
    const place = `w-${1 + (n % 20)}`
    const row = `person-${series}-${n}@example.com,Person Number ${n},${place},editor,Team ${n % 50};All\n`
    size += row.length
    rows.push(row)
  }
  return rows.join('')
}

/** Measures seconds, the longest event loop delay in milliseconds, and additional bytes at the peak. */
async function measure(work: () => Promise<unknown>) {
  globalThis.gc?.()
  const before = process.memoryUsage().rss
  let peak = before
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss)
  }, 20)
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const started = performance.now()
  await work()
  const seconds = (performance.now() - started) / 1000
  clearInterval(watch)
  return { seconds, wait: delay.max / 1e6, memory: peak - before }
}
