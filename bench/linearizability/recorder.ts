import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Lane } from './lanes.ts'

/** The first line that the recorder reads. */
export type Job = {
  ports: number[]
  /** The number of lanes that run concurrently. */
  lanes: number
  service: { name: string; key: string }
  adminTokens: string[]
}

export type Progress = {
  operations: number
  /** The number of lanes used so far. */
  lanes: number
  histories: number
  rejected: number
  /** The number of failed calls by code. */
  failures: Record<string, number>
  finished: boolean
}

/** The process that makes the calls, records them, and verifies the histories. */
export type Recorder = {
  pid: number
  readonly progress: Progress
  addLanes(lanes: Lane[]): void
  /** Waits for running calls to end and verifies their histories. */
  stop(): Promise<Progress>
  /** Rejects if the process exits before it was stopped. */
  failed: Promise<never>
  kill(): void
}

/** Builds the recorder in `folder`. Requires Go. */
export function buildRecorder(folder: string): string {
  const program = join(folder, 'recorder')
  const { status, error } = spawnSync('go', ['build', '-o', program, '.'], {
    cwd: join(import.meta.dirname, 'recorder'),
    stdio: 'inherit',
  })
  if (error || status !== 0) throw new Error('go build failed', { cause: error })
  return program
}

export function startRecorder(program: string, job: Job): Recorder {
  const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] })
  const finished = Promise.withResolvers<Progress>()
  // `close`, because at `exit` the last line may not have been read yet.
  const exited = once(child, 'close')
  const failed = exited.then(([code, signal]): Promise<never> => {
    const error = new Error(`The recorder exited: ${code ?? signal}`)
    return progress.finished ? new Promise(() => {}) : Promise.reject(error)
  })
  let progress: Progress = {
    operations: 0,
    lanes: 0,
    histories: 0,
    rejected: 0,
    failures: {},
    finished: false,
  }
  failed.catch(() => {})
  createInterface(child.stdout).on('line', (line) => {
    progress = JSON.parse(line)
    if (progress.finished) finished.resolve(progress)
  })
  // `failed` reports the exit of the process.
  child.stdin.on('error', () => {})
  const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`)
  send(job)
  return {
    pid: child.pid as number,
    get progress() {
      return progress
    },
    addLanes: (lanes) => lanes.forEach(send),
    async stop() {
      child.stdin.end()
      return Promise.race([finished.promise, failed])
    },
    failed,
    kill: () => child.kill(),
  }
}
