import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { chmod, rm, writeFile } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { startEmbedded } from '../src/database/embedded/embedded-postgres.ts'
import { isConsoleOutdated } from '../src/dev/console-build.ts'
import { createKeyFiles } from '../src/identity/keys.ts'
import { createTemplateDatabase } from '../test/support/template-database.ts'
import { bundlePackages } from './bundled-packages.ts'
import { bundleSources } from './bundled-sources.ts'
import { createFileTimer } from './file-timer.ts'
import { ensureClientCode } from './generated-code.ts'
import { describeApi } from './openapi-document.ts'
import { readProcessorTime } from './processor-time.ts'
import { listTests } from './test-files.ts'
import { createTemporaryFolder, createTestFolder } from './test-folder.ts'
import { encodeGroups, groupTests, withoutGroup } from './test-groups.ts'

const root = join(import.meta.dirname, '..')

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
const files = namesFiles ? [] : listTests(rest ? 'rest' : all ? 'all' : 'core')
const groups = groupTests(files)
args.push(...groups.map(([first = '']) => first))
const leftOut = namesFiles || all || rest ? [] : listTests('rest')

ensureClientCode()
const showsPages = args.some((argument) =>
  /test\/(console|account\/(page|delegations))/.test(argument),
)
if (showsPages && isConsoleOutdated()) {
  spawnSync(process.execPath, ['console/build.ts'], { stdio: 'inherit' })
}
const dataDir = await createTestFolder()
// PostgreSQL does not run as root, and its user can only change into folders that are open to it.
await chmod(dataDir, 0o711)
const embedded = await startEmbedded({ dataDir })
const processorTimes = join(dataDir, 'processor-times')
await writeFile(processorTimes, '')
const count = { passed: 0, failed: 1, skipped: 0 }
try {
  await createTemplateDatabase(embedded.url)
  const keys = join(dataDir, 'keys')
  createKeyFiles({ privatePath: join(keys, 'private.pem'), publicPath: join(keys, 'public.pem') })
  const openapi = join(dataDir, 'openapi.json')
  await writeFile(openapi, JSON.stringify(describeApi()))
  const packages = process.env.BUNDLED_PACKAGES ?? (await bundlePackages())
  // Takes longer than what a few test files save.
  const sources = namesFiles || !packages ? '' : await bundleSources()
  const before = readProcessorTime().ended
  await runAva({
    TEST_DATABASE_URL: embedded.url,
    TEST_KEYS: keys,
    TEST_OPENAPI: openapi,
    PROCESSOR_TIMES: processorTimes,
    TMPDIR: createTemporaryFolder(dataDir),
    TEST_GROUPS: encodeGroups(groups),
    BUNDLED_PACKAGES: packages,
    BUNDLED_SOURCES: process.env.BUNDLED_SOURCES ?? sources,
  })
  describeProcessorTimes(readProcessorTime().ended - before)
} finally {
  const before = readProcessorTime().ended
  await embedded.stop()
  const seconds = readProcessorTime().ended - before
  process.stdout.write(`# Processor time of PostgreSQL: ${seconds.toFixed(0)} s\n`)
  await rm(dataDir, { recursive: true, force: true })
}
if (leftOut.length > 0)
  process.stdout.write(`# Not run: ${leftOut.length} files, which npm run test:all runs, too\n`)
const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : ''
process.stdout.write(`\n${count.passed} passed, ${count.failed} failed${skipped}\n`)
process.exitCode = count.failed === 0 ? 0 : 1

/** Runs ava, forwards its output and counts the results. */
async function runAva(variables: Record<string, string>): Promise<void> {
  const ava = join(root, 'node_modules/ava/entrypoints/cli.js')
  const names = [
    'report-any-error.ts',
    'thread-memory.ts',
    'use-bundled-packages.ts',
    'load-test-groups.ts',
  ]
  const imports = names.flatMap((name) => ['--import', join(import.meta.dirname, name)])
  const command = [...imports, ava, '--tap', ...args]
  // The tests start Node about a hundred times.
  const compiled = { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') }
  const env = { ...compiled, ...process.env, ...variables }
  const child = spawn(process.execPath, command, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  count.failed = 0
  const timer = createFileTimer()
  const before = readProcessorTimes()
  for await (const printed of createInterface(child.stdout)) {
    const line = withoutGroup(printed)
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
  for (const { file, seconds } of timer.findSlowest(60))
    process.stdout.write(`# ${seconds.toFixed(0)} s: ${file}\n`)
  const { idle, total } = readProcessorTimes()
  const share = ((idle - before.idle) / (total - before.total)) * 100
  process.stdout.write(`# The processors were idle for ${share.toFixed(0)} % of the time\n`)
}

/** Prints the processor time of the files that took most, and of all tests with the processes that they started. */
function describeProcessorTimes(total: number): void {
  const lines = readFileSync(processorTimes, 'utf8').split('\n').filter(Boolean)
  const files = lines.map((line): { file: string; seconds: number } => JSON.parse(line))
  for (const { file, seconds } of files.toSorted((a, b) => b.seconds - a.seconds).slice(0, 60)) {
    const path = relative(root, fileURLToPath(file))
    const others = (groups.find(([first]) => first === path)?.length ?? 1) - 1
    const more = others > 0 ? ` and ${others} more` : ''
    process.stdout.write(`# Processor time: ${seconds.toFixed(1)} s: ${path}${more}\n`)
  }
  const threads = files.reduce((sum, { seconds }) => sum + seconds, 0)
  process.stdout.write(
    `# Processor time of the tests: ${total.toFixed(0)} s, of which the files themselves ${threads.toFixed(0)} s\n`,
  )
}

/** The time of all processors since the machine started. */
function readProcessorTimes(): { idle: number; total: number } {
  const times = cpus().flatMap(({ times }) => Object.entries(times))
  const sum = (entries: [string, number][]) => entries.reduce((all, [, time]) => all + time, 0)
  return { idle: sum(times.filter(([name]) => name === 'idle')), total: sum(times) }
}
