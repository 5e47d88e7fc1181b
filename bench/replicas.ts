import { readFile } from 'node:fs/promises'
import { defaultFactsCacheBytes } from '../src/permissions/engine/engine.ts'
import { type ClusterServer, startReplicatedCluster } from '../test/support/replication.ts'
import { createCheckBatches } from './check-batches.ts'
import { ensureDataSet } from './data-set.ts'
import { smallSize } from './data-set-size.ts'
import type { Harness, Measurement } from './harness.ts'
import { interleave, medianLoad, medianOf } from './rounds.ts'
import { formatLoad, formatNumber, type Row } from './table.ts'
import { fetchResponses, writeChecks } from './write-requests.ts'

/** The CPU microseconds per check of the node, the primary and all standbys. */
type Measured = Measurement & { primaryCpu: number; standbyCpu: number }

const cases = [
  'no standby',
  'one standby',
  'one standby, facts in memory',
  'two standbys',
  'two standbys, facts in memory',
] as const

/** The microseconds of a clock tick in /proc, which is 100 Hz on all common platforms. */
const tick = 10_000

/**
 * Measures Check with zero, one and two standbys, and with facts in memory. All servers share one
 * machine, so the relevant result is the CPU time per check, especially on the primary.
 */
export async function measureReplicas(harness: Harness, addRow: (row: Row) => void): Promise<void> {
  const { privatePath, publicPath } = harness.database.keyPaths
  const { primary, standbys, close } = await startReplicatedCluster(2)
  try {
    await ensureDataSet(primary.url, smallSize)
    const start = (count: number, maxFactsCacheBytes = 0) => {
      const urls = standbys.slice(0, count).map(({ url }) => url)
      return harness.startProcess(
        'daikon-server.ts',
        primary.url,
        privatePath,
        publicPath,
        urls.join(),
        '',
        String(maxFactsCacheBytes),
      )
    }
    const data = { url: primary.url, size: smallSize }
    const batches = await createCheckBatches(data, 1, harness.quick ? 100 : 1000)
    const file = writeChecks(
      harness,
      'replicas',
      await fetchResponses(harness, start(0), batches),
    ).daikon
    for (const inFlight of [64, 256]) {
      const measure =
        (count: number, maxFactsCacheBytes?: number) => async (): Promise<Measured> => {
          const before = await readServers(primary, standbys)
          const load = { kind: 'unary' as const, inFlight, files: [file] }
          const result = await harness.measure(start(count, maxFactsCacheBytes), load)
          const after = await readServers(primary, standbys)
          const perCall = (microseconds: number) => microseconds / result.calls
          return {
            ...result,
            cpu: perCall(result.cpu),
            primaryCpu: perCall(after.primary - before.primary),
            standbyCpu: perCall(after.standbys - before.standbys),
          }
        }
      const results = await interleave(harness.rounds, {
        'no standby': measure(0),
        'one standby': measure(1),
        'one standby, facts in memory': measure(1, defaultFactsCacheBytes),
        'two standbys': measure(2),
        'two standbys, facts in memory': measure(2, defaultFactsCacheBytes),
      })
      for (const name of cases) {
        addRow({
          label: `1 item, ${inFlight} in flight, ${name}`,
          daikon: describe(results.map((round) => round[name])),
          baseline: '',
          value: medianOf(results, (round) => round[name].primaryCpu),
          unit: ' µs CPU of the primary',
        })
      }
    }
  } finally {
    await close()
  }
}

function describe(results: Measured[]): string {
  const cpu = (read: (result: Measured) => number) => formatNumber(medianOf(results, read))
  const node = cpu((result) => result.cpu)
  const primary = cpu((result) => result.primaryCpu)
  const standby = cpu((result) => result.standbyCpu)
  const load = formatLoad(medianLoad(results, (result) => result))
  return `${load}; CPU node ${node}, primary ${primary}, standbys ${standby} µs`
}

/** Returns the CPU microseconds of the primary and of all standbys. */
async function readServers(primary: ClusterServer, standbys: ClusterServer[]) {
  const [first, ...others] = await Promise.all([primary, ...standbys].map(readCpu))
  return { primary: first ?? 0, standbys: others.reduce((sum, cpu) => sum + cpu, 0) }
}

async function readCpu(server: ClusterServer): Promise<number> {
  const times = await Promise.all((await server.processes()).map(readProcessCpu))
  return times.reduce((sum, time) => sum + time, 0)
}

/**
 * Returns the CPU microseconds of a process and of its children that have exited, or 0 if the
 * process no longer exists.
 */
async function readProcessCpu(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The name of the program, in parentheses, can contain spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * tick
}
