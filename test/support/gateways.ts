import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '../../src/core/free-port.ts'

const example = join(import.meta.dirname, '../../examples/gateway')

/** A gateway of examples/gateway: its configuration, its port there, and how to start it. */
type GatewayProgram = {
  name: string
  /** A path relative to examples/gateway. */
  config: string
  port: number
  command: string
  version: string
  args(config: string, folder: string): string[]
}

const programs: GatewayProgram[] = [
  {
    name: 'nginx',
    config: 'nginx.conf',
    port: 8080,
    command: process.env.NGINX ?? 'nginx',
    version: '-v',
    args: (config, folder) => [
      ...['-p', folder, '-c', config, '-e', 'stderr', '-g'],
      `daemon off; master_process off; pid ${folder}/nginx.pid;`,
    ],
  },
  {
    name: 'Caddy',
    config: 'Caddyfile',
    port: 8081,
    command: process.env.CADDY ?? 'caddy',
    version: 'version',
    args: (config) => ['run', '--config', config, '--adapter', 'caddyfile'],
  },
  {
    name: 'Envoy',
    config: 'envoy.yaml',
    port: 8082,
    command: process.env.ENVOY ?? 'envoy',
    version: '--version',
    args: (config) => ['-c', config, '--use-dynamic-base-id', '--concurrency', '1', '-l', 'off'],
  },
]

/** The gateways of examples/gateway, and whether each is installed. */
export const gateways = programs.map((program) => ({
  ...program,
  isInstalled: spawnSync(program.command, [program.version]).status === 0,
}))

/** The ports and the service key that replace the ones in the configuration. */
export type GatewayTargets = { app: number; http: number; grpc: number; key: string }

/** Starts a gateway with its configuration, by default in examples/gateway. Returns its port. */
export async function startGateway(
  { name, config, port, command, args }: GatewayProgram,
  targets: GatewayTargets,
  onTeardown: (stop: () => Promise<void>) => void,
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'daikon-gateway-'))
  const own = await findFreePort()
  const values = new Map([
    [String(port), String(own)],
    ['50051', String(targets.grpc)],
    ['8000', String(targets.http)],
    ['3000', String(targets.app)],
    ['dk_key', targets.key],
  ])
  const text = readFileSync(resolve(example, config), 'utf8')
    // In one pass, because a new port may equal an old one.
    .replace(/\b(?:\d{4,5}|dk_key)\b/g, (found) => values.get(found) ?? found)
    .replace(/^http \{$/m, `http {\n${nginxPaths(folder)}`)
  const path = join(folder, basename(config))
  writeFileSync(path, text)
  const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder }
  const child = spawn(command, args(path, folder), { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk
    })
  onTeardown(async () => {
    await stop(child)
    rmSync(folder, { recursive: true, force: true })
  })
  while (!(await isListening(own))) {
    if (child.exitCode !== null) throw new Error(`${name} exited: ${output}`)
    await sleep(50)
  }
  return own
}

/** Debian's defaults are folders that only root may write. */
function nginxPaths(folder: string): string {
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return [...kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`), 'access_log off;'].join(
    '\n',
  )
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
