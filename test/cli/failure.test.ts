import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import test, { type ExecutionContext } from 'ava'
import { findFreePort } from '../../src/core/free-port.ts'
import { createKeyFiles } from '../../src/identity/keys.ts'
import { runCliWith } from '../support/cli.ts'

const portSettings = ['HTTP_PORT', 'GRPC_PORT', 'METRICS_PORT', 'CONSOLE_PORT']

test('start reports every port in use with one line that names the setting, before it does anything', async (t) => {
  const ports = await Promise.all(portSettings.map(() => takePort(t)))
  const taken = Object.fromEntries(portSettings.map((name, index) => [name, `${ports[index]}`]))
  for (const WORKERS of ['1', '2']) {
    // No database is needed: the ports are checked first.
    const result = await run(t, ['start'], {
      ...taken,
      WORKERS,
      DATABASE_URL: 'postgresql://x:1/x',
    })
    const lines = portSettings.map((name, index) => {
      const port = ports[index]
      return `Port ${port} is in use: stop the process that uses it, or set ${name} to another port\n`
    })
    t.deepEqual(result, { status: 2, stdout: '', stderr: lines.join('') })
  }
})

test('start reports ports that are set twice and a host of another machine', async (t) => {
  const port = `${await findFreePort()}`
  const same = await run(t, ['start'], { HTTP_PORT: port, GRPC_PORT: port })
  t.like(same, { status: 2, stderr: `GRPC_PORT must differ from HTTP_PORT: both are ${port}\n` })
  const host = await run(t, ['start'], { GRPC_HOST: '192.0.2.1' })
  t.like(host, {
    status: 2,
    stderr: 'GRPC_HOST must be an address of this machine: 192.0.2.1 (EADDRNOTAVAIL)\n',
  })
})

test('if the database is unreachable, start and other commands fail with one line and status 2', async (t) => {
  const environment = { DATABASE_URL: 'postgresql://daikon:secret@127.0.0.1:1/daikon' }
  for (const args of [['start'], ['user', 'find', 'alice']]) {
    const { status, stderr } = await run(t, args, environment)
    t.is(status, 2)
    t.is(
      stderr,
      'Cannot connect to PostgreSQL at 127.0.0.1:1 (ECONNREFUSED): start it, or correct DATABASE_URL\n',
    )
  }
})

test('a missing file and an unknown command fail with one line and status 2', async (t) => {
  const missing = await run(t, ['import', '/no/such/file.csv'])
  t.like(missing, { status: 2, stderr: '/no/such/file.csv does not exist\n' })
  const unknown = await run(t, ['nonsense'])
  t.like(unknown, { status: 2, stderr: "error: unknown command 'nonsense'\n" })
})

test('completion scripts contain commands and options, and bash completes a command', async (t) => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { status, stdout } = await run(t, ['completion', shell])
    t.is(status, 0)
    for (const word of ['start', 'service-app', 'rotate', '--json']) t.true(stdout.includes(word))
  }
  const { stdout } = await run(t, ['completion', 'bash'])
  const complete = `${stdout}
COMP_WORDS=(daikon service-app r); COMP_CWORD=2; _daikon; echo "\${COMPREPLY[@]}"`
  const bash = spawn('bash', ['-c', complete])
  t.is((await text(bash.stdout)).trim(), 'rotate')
})

async function takePort(t: ExecutionContext): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return (server.address() as AddressInfo).port
}

async function run(
  t: ExecutionContext,
  args: string[],
  environment: Record<string, string> = {},
): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'daikon-failure-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const keys = { privatePath: join(folder, 'private.pem'), publicPath: join(folder, 'public.pem') }
  createKeyFiles(keys)
  const settings = {
    DEBUG: 'true',
    DATA_DIR: folder,
    HTTP_PORT: '0',
    GRPC_PORT: '0',
    METRICS_PORT: '0',
    CONSOLE_PORT: '0',
    JWT_PRIVATE_KEY_PATH: keys.privatePath,
    JWT_PUBLIC_KEY_PATH: keys.publicPath,
    ...environment,
  }
  const { status, out, err } = await runCliWith(settings, ...args)
  return { status, stdout: out, stderr: err }
}
