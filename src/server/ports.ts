import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { ConfigError } from '../config/config.ts'
import { findFreePort } from '../core/free-port.ts'
import type { Config } from './config.ts'
import { allFeatures } from './features.ts'

const centralPorts = ['HTTP_PORT', 'GRPC_PORT', 'METRICS_PORT'] as const
const demoPorts = ['DEMO_PORT', 'DOCS_PORT', 'MOCK_PROVIDERS_PORT', 'MOCK_MAILBOX_PORT'] as const

/** The addresses of the servers of features. */
export const featureListeners = allFeatures.flatMap(({ listener }) => listener ?? [])

/** The settings of all ports, and of those of the demo. */
export const portSettings: readonly string[] = [
  ...centralPorts,
  ...featureListeners.map(({ portSetting }) => portSetting),
  ...demoPorts,
]

type Ports = Record<(typeof centralPorts | typeof demoPorts)[number], number> & {
  [feature: string]: number
}

/** An address to listen on, and the settings that determine it. */
type Listener = { hostSetting: string; portSetting: string; host: string; port: number }

const inUse = 'EADDRINUSE'

/**
 * Checks that the server can listen on all of its ports.
 *
 * @throws {ConfigError} with one line for each port on which it cannot listen
 */
export async function requirePorts(config: Config): Promise<void> {
  const problems = new Set<string>()
  const held = new Map<Listener, Server>()
  try {
    for (const listener of listListeners(config)) {
      const server = await listen(listener.host, listener.port)
      if (server instanceof Error) problems.add(explain(server.code, listener, [...held.keys()]))
      else held.set(listener, server)
    }
  } finally {
    await Promise.all([...held.values()].map(close))
  }
  if (problems.size > 0) throw new ConfigError([...problems].join('\n'))
}

/**
 * Returns a port for each port setting, including the ports of the demo: a free one if the setting
 * is 0 or its port is in use.
 *
 * @throws {ConfigError} if a port cannot be used for another reason
 */
export async function pickPorts(config: Config): Promise<Ports> {
  const held: Server[] = []
  const ports = Object.fromEntries(portSettings.map((name) => [name, readPort(config, name)]))
  try {
    for (const listener of [...listListeners(config), ...listDemoListeners(config)]) {
      const { portSetting, host, port } = listener
      let server = port === 0 ? await listenOnFreePort(host) : await listen(host, port)
      if (server instanceof Error) {
        if (server.code !== inUse) throw new ConfigError(explain(server.code, listener))
        server = await listenOnFreePort(host)
      } else if (await isTakenOnIpv6(listener)) {
        held.push(server)
        server = await listenOnFreePort(host)
      }
      held.push(server)
      ports[portSetting] = (server.address() as AddressInfo).port
    }
    return ports as Ports
  } finally {
    await Promise.all(held.map(close))
  }
}

/** Explains why listening on a port failed. */
export function explainPort(code: string | undefined, port: number, setting: string): string {
  const advice = `set ${setting} to another port`
  return code === 'EACCES'
    ? `Port ${port} requires privileges that this user lacks: ${advice}`
    : `Port ${port} is in use: stop the process that uses it, or ${advice}`
}

function explain(code: string | undefined, listener: Listener, others: Listener[] = []): string {
  const { hostSetting, portSetting, host, port } = listener
  if (code !== inUse && code !== 'EACCES') {
    return `${hostSetting} must be an address of this machine: ${host} (${code})`
  }
  const same = others.find((other) => other.port === port)
  return same
    ? `${portSetting} must differ from ${same.portSetting}: both are ${port}`
    : explainPort(code, port, portSetting)
}

function listListeners(config: Config): Listener[] {
  const http = { hostSetting: 'HTTP_HOST', host: config.HTTP_HOST }
  const grpc = { hostSetting: 'GRPC_HOST', host: config.GRPC_HOST }
  const servers: Listener[] = [
    { ...http, portSetting: 'HTTP_PORT', port: config.HTTP_PORT },
    { ...grpc, portSetting: 'GRPC_PORT', port: config.GRPC_PORT },
    { ...grpc, portSetting: 'METRICS_PORT', port: config.METRICS_PORT },
  ]
  const own = featureListeners.filter(({ isEnabled }) => isEnabled(config as never))
  return [
    ...servers,
    ...own.map(({ hostSetting, portSetting }) => ({
      hostSetting,
      portSetting,
      host: config[hostSetting],
      port: readPort(config, portSetting),
    })),
  ]
}

/** Returns the value of the setting of a port. */
export function readPort(config: Config, name: string): number {
  return (config as Record<string, unknown>)[name] as number
}

function listDemoListeners(config: Config): Listener[] {
  return demoPorts.map((portSetting) => ({
    portSetting,
    hostSetting: portSetting,
    host: '127.0.0.1',
    port: config[portSetting],
  }))
}

/**
 * Returns whether `localhost` leads to another process, although the port is free on IPv4: browsers
 * and curl try ::1 first.
 */
async function isTakenOnIpv6({ host, port }: Listener): Promise<boolean> {
  if (port === 0 || !['127.0.0.1', '0.0.0.0'].includes(host)) return false
  const server = await listen('::1', port)
  if (server instanceof Error) return server.code === inUse
  await close(server)
  return false
}

async function listenOnFreePort(host: string): Promise<Server> {
  for (;;) {
    const server = await listen(host, await findFreePort())
    if (!(server instanceof Error)) return server
    if (server.code !== inUse) throw server
  }
}

async function listen(host: string, port: number): Promise<Server | NodeJS.ErrnoException> {
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening')
    return server
  } catch (error) {
    return error as NodeJS.ErrnoException
  }
}

async function close(server: Server): Promise<void> {
  server.close()
  await once(server, 'close')
}
