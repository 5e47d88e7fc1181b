import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startEmbedded } from '../src/database/embedded/embedded-postgres.ts'
import { isConsoleOutdated } from '../src/dev/console-build.ts'
import { createKeyFiles } from '../src/identity/keys.ts'
import { createTemplateDatabase } from '../test/support/template-database.ts'
import { bundlePackages } from './bundled-packages.ts'
import { createFileTimer } from './file-timer.ts'
import { ensureClientCode } from './generated-code.ts'
import { listTests } from './test-files.ts'
import { createTestFolder } from './test-folder.ts'

/**
 * `npm test [-- <files> <options of ava>]`: starts one PostgreSQL with a migrated template that
 * every test file clones, runs ava and prints a final line `N passed, N failed`. Without files, it
 * runs those that need nothing but what `npm ci` installs; with `--all` all files, and with `--rest`
 * the other ones.
 */
const own = ['--all', '--rest']
const args = process.argv.slice(2).filter((argument) => !own.includes(argument))
const [all, rest] = own.map((option) => process.argv.includes(option))
const namesFiles = args.some((argument) => !argument.startsWith('-'))
if (!namesFiles) args.push(...listTests(rest ? 'rest' : all ? 'all' : 'core'))
const leftOut = namesFiles || all || rest ? [] : listTests('rest')

ensureClientCode()
const showsPages = args.some((argument) => /test\/(console|account\/page)/.test(argument))
if (showsPages && isConsoleOutdated()) {
  spawnSync(process.execPath, ['console/build.ts'], { stdio: 'inherit' })
}
const dataDir = await createTestFolder()
// PostgreSQL does not run as root, and its user can only change into folders that are open to it.
await chmod(dataDir, 0o711)
const embedded = await startEmbedded({ dataDir })
let failed = 1
try {
  await createTemplateDatabase(embedded.url)
  const keys = join(dataDir, 'keys')
  createKeyFiles({ privatePath: join(keys, 'private.pem'), publicPath: join(keys, 'public.pem') })
  failed = await runAva({
    TEST_DATABASE_URL: embedded.url,
    TEST_KEYS: keys,
    BUNDLED_PACKAGES: process.env.BUNDLED_PACKAGES ?? (await bundlePackages()),
  })
} finally {
  await embedded.stop()
  await rm(dataDir, { recursive: true, force: true })
}
process.exitCode = failed === 0 ? 0 : 1

/** Runs ava and forwards its output. Returns the number of failures. */
async function runAva(variables: Record<string, string>): Promise<number> {
  const ava = join(import.meta.dirname, '../node_modules/ava/entrypoints/cli.js')
  const names = ['report-any-error.ts', 'thread-memory.ts', 'use-bundled-packages.ts']
  const imports = names.flatMap((name) => ['--import', join(import.meta.dirname, name)])
  const command = [...imports, ava, '--tap', ...args]
  // The tests start Node about a hundred times.
  const compiled = { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') }
  const env = { ...compiled, ...process.env, ...variables }
  const child = spawn(process.execPath, command, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  const count = { passed: 0, failed: 0, skipped: 0 }
  const timer = createFileTimer()
  const before = readProcessorTimes()
  for await (const line of createInterface(child.stdout)) {
    timer.addLine(line)
    const [, not, directive] = /^(not )?ok \d+ - .*?(# (?:SKIP|TODO).*)?$/i.exec(line) ?? [line]
    if (directive) count.skipped += 1
    else if (not) count.failed += 1
    else if (line.startsWith('ok ')) count.passed += 1
    process.stdout.write(`${line}\n`)
  }
  const [status] = await closed
  // Ava exits with a non-zero status without a failed test if a file crashes or does not exit.
  if (status !== 0 && count.failed === 0) count.failed = 1
  const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : ''
  for (const { file, seconds } of timer.findSlowest(60))
    process.stdout.write(`# ${seconds.toFixed(0)} s: ${file}\n`)
  const { idle, total } = readProcessorTimes()
  const share = ((idle - before.idle) / (total - before.total)) * 100
  process.stdout.write(`# The processors were idle for ${share.toFixed(0)} % of the time\n`)
  if (leftOut.length > 0)
    process.stdout.write(`# Not run: ${leftOut.length} files, which npm run test:all runs, too\n`)
  process.stdout.write(`\n${count.passed} passed, ${count.failed} failed${skipped}\n`)
  return count.failed
}

/** The time of all processors since the machine started. */
function readProcessorTimes(): { idle: number; total: number } {
  const times = cpus().flatMap(({ times }) => Object.entries(times))
  const sum = (entries: [string, number][]) => entries.reduce((all, [, time]) => all + time, 0)
  return { idle: sum(times.filter(([name]) => name === 'idle')), total: sum(times) }
}
