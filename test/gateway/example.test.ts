import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import test, { type ExecutionContext } from 'ava'
import { findFreePort } from '../../src/core/free-port.ts'
import { startDevServer } from '../support/dev-server.ts'
import { gateways } from '../support/gateways.ts'
import { waitUntil } from '../support/wait-until.ts'

const root = join(import.meta.dirname, '../..')

test('examples/gateway starts each installed gateway, which follows the routes', async (t) => {
  const daikon = await startDevServer(t)
  const ports = new Map([
    ['8000', new URL(daikon.rest).port],
    ['50051', daikon.grpc],
  ])
  for (const port of ['3000', ...gateways.map(({ port }) => String(port))])
    ports.set(port, String(await findFreePort()))
  const output = await startExample(t, await copyExample(t, ports), daikon.env)

  const command = ['run', '--silent', 'daikon', '--', 'token', '--email', 'carol@example.com']
  const token = execFileSync('npm', command, { cwd: root, env: daikon.env, encoding: 'utf8' })
  const authorization = { authorization: `Bearer ${token.trim()}` }
  for (const { name, port, isInstalled } of gateways) {
    const program = name.toLowerCase()
    const url = `http://localhost:${ports.get(String(port))}`
    if (!isInstalled) {
      t.true(output.includes(`${program} is not installed\n`), output)
      continue
    }
    t.true(output.includes(`${program}: ${url}\n`), output)
    await waitUntil(() => isListening(url))
    const request = async (path: string, headers = {}) => {
      const response = await fetch(`${url}${path}`, { headers })
      return [response.status, await response.text()] as const
    }
    t.deepEqual(await request('/'), [200, 'This is /, for everyone\n'], name)
    t.is((await request('/pages/handbook'))[0], 401, name)
    t.deepEqual(
      await request('/pages/handbook', authorization),
      [200, 'This is /pages/handbook, for carol@example.com\n'],
      name,
    )
    t.is((await request('/pages/salaries', authorization))[0], 403, name)
  }
})

/** Copies the example with other ports, next to the files of the repository that it runs. */
async function copyExample(t: ExecutionContext, ports: Map<string, string>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'daikon-example-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['package.json', 'node_modules', 'src', 'gen'])
    symlinkSync(join(root, name), join(folder, name))
  const example = join(folder, 'examples/gateway')
  cpSync(join(root, 'examples/gateway'), example, { recursive: true })
  for (const name of await readdir(example)) {
    const path = join(example, name)
    const text = readFileSync(path, 'utf8')
    // In one pass, because a new port may equal an old one; UUIDs contain 8000.
    const copy = text.replace(/(?<![\w-])\d{4,5}(?![\w-])/g, (port) => ports.get(port) ?? port)
    writeFileSync(path, copy)
  }
  return join(example, 'start.js')
}

/** Starts the example, and stops it after the test as Ctrl-C does. Returns what it prints. */
async function startExample(
  t: ExecutionContext,
  file: string,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  // ENVOY can name a program outside PATH.
  const folders = [dirname(process.env.ENVOY ?? ''), env.PATH]
  const child = spawn(process.execPath, [file], {
    env: { ...env, PATH: folders.join(':') },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const errors = readText(child.stderr)
  const ended = once(child, 'exit')
  t.teardown(async () => {
    if (child.exitCode === null) process.kill(-(child.pid as number), 'SIGINT')
    await ended
  })
  let output = ''
  for await (const chunk of child.stdout) {
    output += chunk
    if (output.includes('Ctrl-C')) return output
  }
  throw new Error(`The example ended: ${output}${await errors}`)
}

function isListening(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  )
}
