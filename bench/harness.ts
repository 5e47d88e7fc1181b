import type { BenchDatabase } from './bench-database.ts'
import { type BenchProcess, type ServerState, startBenchProcess } from './child-process.ts'
import { createSigner, type SignToken } from './credentials.ts'
import type { Job, Result } from './load.ts'

/** What the parts of the benchmark use to measure. */
export type Harness = {
  database: BenchDatabase
  quick: boolean
  rounds: number
  /** The duration of one measurement. */
  seconds: number
  signToken: SignToken
  /** The process of a file in this folder, which is started at its first use. */
  startProcess(file: string, ...args: string[]): BenchProcess
  /** The server on a database, by default the one with the data set. */
  daikon(url?: string): BenchProcess
  /** The server with two worker processes that share its port. */
  workers(): BenchProcess
  /** Applies a load to a server. Throws if a response is wrong or missing. */
  measure(
    server: BenchProcess,
    job: Omit<Job, 'port' | 'seconds'> & Partial<Job>,
  ): Promise<Measurement>
}

/** The result of a load, and the CPU time and statements that the server used. */
export type Measurement = Result & { cpu: number; statements: number }

/** Creates the harness for a benchmark database. */
export async function createHarness(
  database: BenchDatabase,
  options: Pick<Harness, 'quick' | 'rounds' | 'seconds'>,
) {
  const { privatePath, publicPath } = database.keyPaths
  const started = new Map<string, BenchProcess>()

  function startProcess(file: string, ...args: string[]): BenchProcess {
    const key = [file, ...args].join(' ')
    const known = started.get(key) ?? startBenchProcess(file, ...args)
    started.set(key, known)
    return known
  }

  const harness: Harness = {
    ...options,
    database,
    startProcess,
    signToken: await createSigner(database),
    daikon: (url = database.url) => startProcess('daikon-server.ts', url, privatePath, publicPath),
    workers: () => startProcess('workers-server.ts', database.url, privatePath, publicPath, '2'),
    async measure(server, job) {
      const before = await server.request<ServerState>({})
      const port = job.kind === 'http1' ? (before.httpPort ?? before.port) : before.port
      const seconds = job.seconds ?? options.seconds
      const result = await startProcess('load.ts').request<Result>(
        { ...job, port, seconds },
        seconds,
      )
      const after = await server.request<ServerState>({})
      if (result.wrong > 0)
        throw new Error(`${result.wrong} of ${result.calls} responses are wrong`)
      if (result.calls === 0) throw new Error('No responses')
      return {
        ...result,
        cpu: after.cpu - before.cpu,
        statements: after.statements - before.statements,
      }
    },
  }
  return harness
}
