import { execFile, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ExecutionContext } from 'ava'
import { findFreePort } from '../../src/core/free-port.ts'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

/** Runs docker and returns its output. */
export async function docker(...args: string[]): Promise<string> {
  const { stdout } = await run('docker', args, { maxBuffer: 64 * 1024 * 1024 })
  return stdout.trim()
}

/** Returns the command of docker compose, version 2: installed, or fetched by tools/containers/install. */
export function findCompose(): string[] | undefined {
  if (spawnSync('docker', ['compose', 'version']).status === 0) return ['docker', 'compose']
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const fetched = join(cache, 'daikon/docker-compose-2.26.1-4')
  return existsSync(fetched) ? [fetched] : undefined
}

/** A running project of docker compose. */
export type ComposeProject = {
  httpPort: number
  grpcPort: number
  /** Runs docker compose on the project and returns its output. */
  compose(...args: string[]): Promise<string>
  /** Runs a command in the container of a service. */
  exec(service: string, ...command: string[]): Promise<string>
  /** Runs `daikon` in the first node, and parses its JSON. */
  daikon(...args: string[]): Promise<Record<string, any>>
}

/** Starts the services of compose files on free ports of loopback, and removes them after the test. */
export async function startProject(t: ExecutionContext, ...files: string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'daikon-compose-'))
  const [httpPort, grpcPort] = [await findFreePort(), await findFreePort()]
  const override = join(folder, 'override.yml')
  const ports = [`127.0.0.1:${httpPort}:8000`, `127.0.0.1:${grpcPort}:50051`]
  const list = ports.map((port) => `"${port}"`).join(', ')
  // Nodes start more slowly beside other tests.
  const patient = '{healthcheck: {start_period: 300s}}'
  const services = [
    `proxy: {ports: !override [${list}]}`,
    `daikon-1: ${patient}`,
    `daikon-2: ${patient}`,
  ]
  await writeFile(override, `services:\n  ${services.join('\n  ')}\n`)
  const [program = '', ...first] = findCompose() ?? []
  const name = `daikon-test-${randomBytes(4).toString('hex')}`
  const paths = [...files.map((file) => join(root, file)), override]
  const options = ['--project-name', name, ...paths.flatMap((path) => ['--file', path])]
  const secret = () => randomBytes(32).toString('hex')
  const env = {
    ...process.env,
    BASE_URL: `http://localhost:${httpPort}`,
    COOKIE_SECURE: 'false',
    SESSION_SECRET_KEY: secret(),
    POSTGRES_PASSWORD: secret(),
    REDIS_PASSWORD: secret(),
  }
  async function compose(...args: string[]): Promise<string> {
    const settings = { env, maxBuffer: 64 * 1024 * 1024 }
    return (await run(program, [...first, ...options, ...args], settings)).stdout.trim()
  }
  const exec = (service: string, ...command: string[]) =>
    compose('exec', '--no-TTY', service, ...command)
  const project: ComposeProject = {
    httpPort,
    grpcPort,
    compose,
    exec,
    daikon: async (...args) => JSON.parse(await exec('daikon-1', 'daikon', ...args, '--json')),
  }
  t.teardown(async () => {
    if (!t.passed) console.info(await compose('logs', '--tail', '15').catch(String))
    await compose('down', '--volumes', '--timeout', '1')
    await rm(folder, { recursive: true })
  })
  await compose('--progress', 'quiet', 'up', '--detach', '--no-build', '--wait')
  return project
}
