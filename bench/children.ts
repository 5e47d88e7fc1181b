import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** A process of the bench that answers each message with one. */
export type Child = {
  /** Waits for what takes that many seconds, and a minute more. */
  ask<Answer>(message: object, seconds?: number): Promise<Answer>
}

/** What a server says of itself whenever it is asked: microseconds, bytes, a count. */
export type ServerState = Ports & { cpu: number; rss: number; statements: number }

type Ports = { port: number; httpPort?: number }

/** Milliseconds until an answer that takes no time must be there. */
const patience = 60_000

const running: ChildProcess[] = []

/** BENCH_PROFILE names the folder that each process leaves its CPU profile in. */
const profiles = process.env.BENCH_PROFILE
const profiling = profiles ? ['--cpu-prof', `--cpu-prof-dir=${profiles}`] : []

/** Starts a file of this folder as a process of its own. */
export function startChild(file: string, ...args: string[]): Child {
  const child = fork(join(import.meta.dirname, file), args, {
    // As `npm start` does: what a few hundred calls under way hold is not to be taken for old.
    execArgv: ['--max-semi-space-size=32', ...profiling],
  })
  running.push(child)
  return {
    async ask(message, seconds = 0) {
      const settled = new AbortController()
      const signal = AbortSignal.any([
        settled.signal,
        AbortSignal.timeout(patience + seconds * 1000),
      ])
      const ended = async () => {
        const [code, by] = await once(child, 'exit', { signal })
        throw new Error(`${file} has ended: ${code ?? by}`)
      }
      try {
        child.send(message)
        return (await Promise.race([once(child, 'message', { signal }), ended()]))[0]
      } finally {
        settled.abort()
      }
    },
  }
}

/** Ends the processes started here; those that write a profile do so by themselves. */
export function endChildren(): void {
  for (const child of running) {
    if (profiles && child.connected) child.disconnect()
    else child.kill()
  }
}

/** In a server: answers every message with its state, and ends with the bench. */
export function answerState(ports: Ports, statements = () => 0): void {
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    const { rss } = process.memoryUsage()
    process.send?.({ ...ports, rss, cpu: user + system, statements: statements() })
  })
  process.once('disconnect', () => process.exit())
}
