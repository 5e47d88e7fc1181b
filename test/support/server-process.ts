import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { ExecutionContext } from 'ava'
import { bundledPackages, bundleVariables } from './bundled-packages.ts'

const root = join(import.meta.dirname, '../..')

export type LogLine = { msg: string; level: number; pid: number } & Record<string, unknown>

/** A running server in a separate process, started as in production. */
export type ServerProcess = LaunchedProcess & {
  grpcPort: number
  httpPort: number
  /** 0 unless the console is enabled. */
  consolePort: number
  metricsPort: number
}

/** A server process that may still be starting. */
export type LaunchedProcess = {
  lines: LogLine[]
  /** Returns the text that the process has written to stdout and stderr. */
  output(): string
  child: ChildProcess
  /** Waits for a log line. Rejects if the process exits first. */
  waitForLine(matches: (line: LogLine) => boolean): Promise<LogLine>
  /** Resolves when the process exits. */
  exited: Promise<{ code: number | null; signal: string | null }>
}

/** A program that is the server, and the folder in which it runs. */
type Program = { command: [file: string, ...args: string[]]; cwd: string }

/** The server of the sources in a repository. */
export function sourcesIn(repository: string): Program {
  return { command: [process.execPath, ...bundledPackages, 'src/main.ts'], cwd: repository }
}

/** Creates a folder for the signing keys, shared by all nodes of a test. */
export function createKeyFolder(t: Pick<ExecutionContext, 'teardown'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'daikon-server-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Starts the server and waits until it listens. Kills it after the test. */
export async function startServer(
  ...args: Parameters<typeof launchServer>
): Promise<ServerProcess> {
  const launched = launchServer(...args)
  const listening = await launched.waitForLine(({ msg }) => msg === 'daikon is listening')
  return {
    ...launched,
    grpcPort: Number(listening.grpc_port),
    httpPort: Number(listening.http_port),
    consolePort: Number(listening.console_port ?? 0),
    metricsPort: Number(listening.metrics_port),
  }
}

/** Starts the server, by default that of the sources, without waiting. Kills it after the test. */
export function launchServer(
  t: Pick<ExecutionContext, 'teardown'>,
  folder: string,
  environment: Record<string, string>,
  { command: [file, ...args], cwd }: Program = sourcesIn(root),
): LaunchedProcess {
  const child = spawn(file, args, {
    cwd,
    env: {
      PATH: process.env.PATH,
      ...bundleVariables,
      HTTP_PORT: '0',
      GRPC_PORT: '0',
      METRICS_PORT: '0',
      CONSOLE_ENABLED: 'false',
      HTTP_HOST: '127.0.0.1',
      GRPC_HOST: '127.0.0.1',
      JWT_PRIVATE_KEY_PATH: join(folder, 'private.pem'),
      JWT_PUBLIC_KEY_PATH: join(folder, 'public.pem'),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const lines: LogLine[] = []
  const listeners = new Set<() => void>()
  let text = ''
  child.stderr.on('data', (bytes) => {
    text += bytes
  })
  createInterface(child.stdout).on('line', (line) => {
    text += `${line}\n`
    lines.push(line.startsWith('{') ? JSON.parse(line) : { msg: line })
    for (const listener of listeners) listener()
  })
  const exited = once(child, 'close').then(([code, signal]) => ({ code, signal }))
  const waitForLine = (matches: (line: LogLine) => boolean) => {
    const found = Promise.withResolvers<LogLine>()
    const look = () => {
      const known = lines.find(matches)
      if (!known) return
      listeners.delete(look)
      found.resolve(known)
    }
    listeners.add(look)
    look()
    exited.then(() => found.reject(new Error(`The server exited early: ${text.slice(-2000)}`)))
    return found.promise
  }
  return { lines, child, waitForLine, exited, output: () => text }
}
