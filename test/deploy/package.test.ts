import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import test from 'ava'
import { cloneDatabase } from '../support/database.ts'
import { startServer } from '../support/server-process.ts'

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
  const child = spawn(daikon, ['dev'], {
    cwd: folder,
    env: {
      ...process.env,
      HTTP_PORT: '0',
      GRPC_PORT: '0',
      METRICS_PORT: '0',
      DEMO_PORT: '0',
      DOCS_PORT: '0',
      CONSOLE_PORT: '0',
      MOCK_PROVIDERS_PORT: '0',
      MOCK_MAILBOX_PORT: '0',
    },
  })
  t.teardown(() => child.kill('SIGKILL'))
  let url = ''
  for await (const line of createInterface(child.stdout)) {
    url = /REST API +(\S+)/.exec(line)?.[1] ?? url
    if (line.includes('Ctrl-C')) break
  }
  const response = await fetch(`${url}/health`)
  t.deepEqual(await response.json(), { status: 'ok' })
  t.is((await fetch(`${url}/docs`)).status, 200)
  child.stdout.resume()
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  t.deepEqual(await exited, [0, null])

  const database = await cloneDatabase()
  t.teardown(() => database.drop())
  const settings = { DATABASE_URL: database.url, WORKERS: '2' }
  const server = await startServer(t, folder, settings, { command: [daikon, 'start'], cwd: folder })
  server.child.kill('SIGTERM')
  t.deepEqual(await server.exited, { code: 0, signal: null })
})

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
