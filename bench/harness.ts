import type { BenchDatabase } from './bench-database.ts'
import { type BenchProcess, type ServerState, startBenchProcess } from './child-process.ts'
import { createSigner, type SignToken } from './credentials.ts'
import type { Job, Result } from './load.ts'
import { buildGoGenerator, type Generator, startGenerator } from './load-generator.ts'
import { startWorkers } from './workers.ts'

/** The tools that the parts of the benchmark use for measurements. */
export type Harness = {
  database: BenchDatabase
  quick: boolean
  rounds: number
  /** The duration of one measurement. */
  seconds: number
  signToken: SignToken
  /** Returns the process of a file in this folder, which is started on first use. */
  startProcess(file: string, ...args: string[]): BenchProcess
  /**
   * Returns the server on a database, by default the one with the data set. It has no facts in memory
   * unless `maxFactsCacheBytes` is set.
   */
  daikon(url?: string, maxFactsCacheBytes?: number): BenchProcess
  /** Returns the server that also seals the activity log and sends webhooks. */
  feed(): BenchProcess
  /**
   * Returns the server with two worker processes that share its port. If `maxFactsCacheBytes` is
   * set, they cache checks and lists in memory.
   */
  workers(maxFactsCacheBytes?: number): BenchProcess
  /** The available generators of unary calls. Jobs that do not specify one use the first. */
  generators: Generator[]
  /**
   * Applies a load to a server, or to the gateway in front of it on `job.port`. Throws if a response
   * is wrong or missing.
   */
  measure(
    server: BenchProcess,
    job: Omit<Job, 'port' | 'seconds'> & Partial<Job> & { generator?: Generator },
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
  const goProgram = buildGoGenerator(database.folder)
  const generators: Generator[] = goProgram ? ['go', 'node'] : ['node']
  const programs = new Map<Generator, BenchProcess>()

  function requireGenerator(generator: Generator): BenchProcess {
    const program =
      programs.get(generator) ?? startGenerator(generator === 'go' ? goProgram : undefined)
    programs.set(generator, program)
    return program
  }

  function startProcess(file: string, ...args: string[]): BenchProcess {
    const key = [file, ...args].join(' ')
    const known = started.get(key) ?? startBenchProcess(file, ...args)
    started.set(key, known)
    return known
  }

  const harness: Harness = {
    ...options,
    database,
    generators,
    startProcess,
    signToken: await createSigner(database),
    daikon(url = database.url, maxFactsCacheBytes) {
      const memory = maxFactsCacheBytes === undefined ? [] : ['', '', String(maxFactsCacheBytes)]
      return startProcess('daikon-server.ts', url, privatePath, publicPath, ...memory)
    },
    feed: () => startProcess('daikon-server.ts', database.url, privatePath, publicPath, '', 'feed'),
    workers: (maxFactsCacheBytes = 0) => startWorkers(startProcess, database, maxFactsCacheBytes),
    async measure(server, { generator, ...job }) {
      const before = await server.request<ServerState>({})
      const own = job.kind === 'http1' ? (before.httpPort ?? before.port) : before.port
      const port = job.port ?? own
      const seconds = job.seconds ?? options.seconds
      const chosen = generator ?? (job.kind === 'unary' ? generators[0] : undefined) ?? 'node'
      const result = await requireGenerator(chosen).request<Result>(
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
