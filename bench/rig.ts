import { type Child, type ServerState, startChild } from './children.ts'
import { createSigner, type Sign } from './credentials.ts'
import type { Job, Result } from './load.ts'
import type { Place } from './place.ts'

/** What the parts of the bench measure with. */
export type Rig = {
  place: Place
  quick: boolean
  rounds: number
  /** Of one measurement. */
  seconds: number
  sign: Sign
  /** The process of a file of this folder, started at its first use. */
  child(file: string, ...args: string[]): Child
  /** The server over a database, the data set's unless told otherwise. */
  daikon(url?: string): Child
  /** The server over the data set as two processes, which share its port. */
  workers(): Child
  /** Puts a load on a server. A wrong answer, a missing one, or none at all fails the bench. */
  measure(server: Child, job: Omit<Job, 'port' | 'seconds'> & Partial<Job>): Promise<Measured>
}

/** One measurement of a server: what the load saw, and what the server used in that time. */
export type Measured = Result & { cpu: number; statements: number }

/** Sets up the rig over the data set. */
export async function createRig(place: Place, options: Pick<Rig, 'quick' | 'rounds' | 'seconds'>) {
  const { privatePath, publicPath } = place.keyPaths
  const started = new Map<string, Child>()

  function child(file: string, ...args: string[]): Child {
    const key = [file, ...args].join(' ')
    const known = started.get(key) ?? startChild(file, ...args)
    started.set(key, known)
    return known
  }

  const rig: Rig = {
    ...options,
    place,
    child,
    sign: await createSigner(place),
    daikon: (url = place.url) => child('daikon-server.ts', url, privatePath, publicPath),
    workers: () => child('workers-server.ts', place.url, privatePath, publicPath, '2'),
    async measure(server, job) {
      const before = await server.ask<ServerState>({})
      const port = job.kind === 'http1' ? (before.httpPort ?? before.port) : before.port
      const seconds = job.seconds ?? options.seconds
      const result = await child('load.ts').ask<Result>({ ...job, port, seconds }, seconds)
      const after = await server.ask<ServerState>({})
      if (result.wrong > 0) throw new Error(`${result.wrong} of ${result.calls} answers are wrong`)
      if (result.calls === 0) throw new Error('no answers')
      return {
        ...result,
        cpu: after.cpu - before.cpu,
        statements: after.statements - before.statements,
      }
    },
  }
  return rig
}
