import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import test, { type ExecutionContext } from 'ava'
import { cloneDatabase } from '../support/database.ts'

const root = join(import.meta.dirname, '../..')

test.serial('the packed server can be installed globally and runs its commands', async (t) => {
  t.timeout(600_000)
  const folder = await mkdtemp(join(tmpdir(), 'daikon-package-'))
  t.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  await run(root, 'npm', 'run', 'build')
  await run(root, 'npm', 'pack', './dist', '--pack-destination', folder)
  const [tarball = ''] = await readdir(folder)
  const prefix = join(folder, 'prefix')
  const options = ['--prefer-offline', '--no-audit', '--no-fund']
  await run(folder, 'npm', 'install', '--global', '--prefix', prefix, ...options, `./${tarball}`)
  t.deepEqual(
    globSync('**/{scarf,core-js,react}', { cwd: prefix }),
    [],
    'dependencies of bundled files are not installed',
  )
  const daikon = join(prefix, 'bin/daikon')
  t.regex(await run(folder, daikon, '--version'), /^\d+\.\d+\.\d+\n$/)
  t.regex(await run(folder, daikon, 'completion', 'bash'), /complete -F _daikon daikon/)

  // Starts in an empty folder, in which it creates the keys and the data.
  const child = start(t, daikon, 'dev', folder)
  let url = ''
  for await (const line of createInterface(child.stdout)) {
    url = /REST API +(\S+)/.exec(line)?.[1] ?? url
    if (line.includes('Ctrl-C')) break
  }
  const response = await fetch(`${url}/health`)
  t.deepEqual(await response.json(), { status: 'ok' })
  t.is((await fetch(`${url}/docs`)).status, 200)
  t.deepEqual(await stop(child), [0, null])

  const database = await cloneDatabase()
  t.teardown(() => database.drop())
  const settings = { DATABASE_URL: database.url, DEBUG: 'true', WORKERS: '2' }
  const primary = start(t, daikon, 'start', folder, settings)
  let isListening = false
  for await (const line of createInterface(primary.stdout)) {
    isListening = line.includes('daikon is listening')
    if (isListening) break
  }
  t.true(isListening, 'the package starts with workers')
  t.deepEqual(await stop(primary), [0, null])
})

function start(
  t: ExecutionContext,
  daikon: string,
  command: string,
  cwd: string,
  settings: Record<string, string> = {},
) {
  const ports = [
    'HTTP',
    'GRPC',
    'METRICS',
    'DEMO',
    'DOCS',
    'CONSOLE',
    'MOCK_PROVIDERS',
    'MOCK_MAILBOX',
  ]
  const anyPort = Object.fromEntries(ports.map((name) => [`${name}_PORT`, '0']))
  const child = spawn(daikon, [command], { cwd, env: { ...process.env, ...anyPort, ...settings } })
  t.teardown(() => child.kill('SIGKILL'))
  return child
}

function stop(child: ChildProcessWithoutNullStreams): Promise<unknown[]> {
  child.stdout.resume()
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  return exited
}

async function run(cwd: string, command: string, ...args: string[]): Promise<string> {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stderr}`)
  return stdout
}
