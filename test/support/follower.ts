import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { ExecutionContext } from 'ava'
import { hasJavaClient, readClassPath } from './java.ts'
import { hasPythonPackages, python, pythonFolder } from './python.ts'
import { waitUntil } from './wait-until.ts'

const programs = join(import.meta.dirname, '../clients/watchers')
const goModule = join(import.meta.dirname, '../../clients/go')
const hasGo = spawnSync('go', ['version']).status === 0
if (!hasGo) console.info('Go is not installed: watches of its client are not tested')

export type FollowerArguments = {
  address: string
  key: string
  cursor?: string
  workspaceId?: string
  actions?: string[]
}

/** A message of a watch, the end of a connection, or the end of the watch. */
type Line = {
  cursor?: string
  id?: string
  action?: string
  detail?: Record<string, unknown>
  disconnected?: string
  ended?: true
  failed?: { name: string; code: string; reason: string; fields: string[] }
}

/** A program that follows the activity log with a client. It receives a message only when asked. */
export type Follower = {
  lines: Line[]
  /** The IDs of the received events. */
  ids(): string[]
  /** Lets it receive up to a number of messages. */
  allow(messages: number): void
  /** Lets it receive messages until it has a number of events. */
  takeEvents(count: number): Promise<void>
  /** Waits until a line matches. */
  waitFor(matches: (line: Line) => unknown): Promise<Line>
  /** Lets it leave the loop after the message that it has received. */
  leave(): void
  /** Closes its client. */
  close(): void
}

type Launch = { command: string; args: string[]; cwd?: string; env?: Record<string, string> }

/** The programs, by the names of the clients. Only languages that are installed. */
export const followers: Record<string, () => Launch> = {
  TypeScript: () => ({ command: process.execPath, args: [join(programs, 'watch.ts')] }),
  ...(hasPythonPackages && {
    'Python with threads': () => launchPython({}),
    'Python with asyncio': () => launchPython({ ASYNC: '1' }),
  }),
  ...(hasGo && { Go: () => ({ command: buildGoProgram(), args: [] }) }),
  ...(hasJavaClient && {
    Java: () => ({
      command: 'java',
      args: ['-cp', readClassPath(), join(programs, 'Watch.java')],
    }),
  }),
}

function launchPython(env: Record<string, string>): Launch {
  const args = [join(programs, 'watch.py')]
  return { command: python, args, env: { ...env, PYTHONPATH: join(pythonFolder, 'src') } }
}

let goProgram: string | undefined

function buildGoProgram(): string {
  if (goProgram) return goProgram
  const folder = mkdtempSync(join(tmpdir(), 'daikon-watch-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const built = join(folder, 'watch')
  for (const args of [['vet'], ['build', '-o', built]])
    execFileSync('go', [...args, join(programs, 'watch.go')], { cwd: goModule })
  goProgram = built
  return built
}

/** Starts a follower, and kills it after the test. */
export function startFollower(
  t: Pick<ExecutionContext, 'teardown'>,
  client: string,
  options: FollowerArguments,
): Follower {
  const { command, args, env } = (followers[client] as () => Launch)()
  const child = spawn(command, [...args, JSON.stringify(options)], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const lines: Line[] = []
  let hasExited = false
  createInterface(child.stdout).on('line', (line) => lines.push(JSON.parse(line)))
  child.once('close', () => {
    hasExited = true
  })
  const send = (command: string | number) => child.stdin.write(`${command}\n`)
  const received = () => lines.filter(({ cursor }) => cursor !== undefined)
  const ids = () => lines.flatMap(({ id }) => id ?? [])
  const isOver = () => hasExited || lines.some(({ ended, failed }) => ended || failed)
  let allowed = 0
  return {
    lines,
    ids,
    allow(messages) {
      allowed += messages
      send(messages)
    },
    async takeEvents(count) {
      while (ids().length < count) {
        const missing = count - ids().length
        if (received().length === allowed) this.allow(missing)
        await waitUntil(() => received().length === allowed || isOver())
        if (isOver()) throw new Error(`The watch has ended: ${JSON.stringify(lines.at(-1))}`)
      }
    },
    async waitFor(matches) {
      await waitUntil(() => lines.some(matches) || hasExited)
      const found = lines.find(matches)
      if (!found) throw new Error('The program has exited')
      return found
    },
    leave: () => send('leave'),
    close: () => send('close'),
  }
}
