import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startEmbedded } from '../../src/database/embedded/embedded-postgres.ts'
import { isConsoleOutdated } from '../../src/dev/console-build.ts'
import { createKeyFiles } from '../../src/identity/keys.ts'
import { createFileTimer } from './file-timer.ts'
import { createTemplateDatabase } from './template-database.ts'

/**
 * `npm test`: starts one PostgreSQL with a migrated template that every test file clones, runs ava
 * and prints a final line `N passed, N failed`. Arguments are passed to ava.
 */
if (isConsoleOutdated() && includesConsole(process.argv.slice(2))) {
  spawnSync(process.execPath, ['console/build.ts'], { stdio: 'inherit' })
}
const dataDir = await mkdtemp(join(tmpdir(), 'daikon-test-'))
const embedded = await startEmbedded({ dataDir })
let failed = 1
try {
  await createTemplateDatabase(embedded.url)
  const keys = join(dataDir, 'keys')
  createKeyFiles({ privatePath: join(keys, 'private.pem'), publicPath: join(keys, 'public.pem') })
  failed = await runAva({ TEST_DATABASE_URL: embedded.url, TEST_KEYS: keys })
} finally {
  await embedded.stop()
  await rm(dataDir, { recursive: true, force: true })
}
process.exitCode = failed === 0 ? 0 : 1

/** Whether the arguments include the tests of the admin console. */
function includesConsole(args: string[]): boolean {
  return args.length === 0 || args.some((arg) => arg.includes('console'))
}

/** Runs ava and forwards its output. Returns the number of failures. */
async function runAva(variables: Record<string, string>): Promise<number> {
  const ava = join(import.meta.dirname, '../../node_modules/ava/entrypoints/cli.js')
  const reporter = join(import.meta.dirname, 'report-any-error.ts')
  const args = ['--import', reporter, ava, '--tap', ...process.argv.slice(2)]
  // The tests start Node about a hundred times.
  const compiled = { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') }
  const env = { ...compiled, ...process.env, ...variables }
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const count = { passed: 0, failed: 0, skipped: 0 }
  const timer = createFileTimer()
  for await (const line of createInterface(child.stdout)) {
    timer.addLine(line)
    const [, not, directive] = /^(not )?ok \d+ - .*?(# (?:SKIP|TODO).*)?$/i.exec(line) ?? [line]
    if (directive) count.skipped += 1
    else if (not) count.failed += 1
    else if (line.startsWith('ok ')) count.passed += 1
    process.stdout.write(`${line}\n`)
  }
  const status = child.exitCode ?? (await new Promise<number>((done) => child.once('exit', done)))
  // Ava exits with a non-zero status without a failed test if a file crashes or does not exit.
  if (status !== 0 && count.failed === 0) count.failed = 1
  const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : ''
  for (const { file, seconds } of timer.findSlowest(15))
    process.stdout.write(`# ${seconds.toFixed(0)} s: ${file}\n`)
  process.stdout.write(`\n${count.passed} passed, ${count.failed} failed${skipped}\n`)
  return count.failed
}
