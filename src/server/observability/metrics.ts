import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type Metric,
  Registry,
} from 'prom-client'
import type { Database } from '../../database/database.ts'
import type { CallResult } from '../../rpc/pipeline.ts'
import type { Readiness } from '../readiness.ts'
import { createCallCounters } from './call-counters.ts'

/** What operators see of a node by numbers. */
export type Metrics = {
  registry: Registry
  countCall(result: CallResult): void
  /** Records how many callers share a facts statement. */
  countBatch(callers: number): void
  /** Records the outcome of a sign-in. */
  countSignIn(signIn: { flow: string; provider: string; outcome: string }): void
}

/** Makes the metrics of a node; gauges are read when they are asked for. */
export function createMetrics(
  counts: Database['counts'],
  readReadiness: () => Promise<Readiness>,
): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const counters = createCallCounters()
  for (const { name } of counters.gather()) {
    const get = async () => counters.gather().find((metric) => metric.name === name)
    // Registries ask no more of a metric than this.
    const metric = { name, get, getForPromString: get, reset: () => {} }
    registry.registerMetric(metric as unknown as Metric<string>)
  }
  const batches = new Histogram({
    name: 'daikon_shared_statement_callers',
    help: 'Callers that share one statement of facts',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000],
    registers,
  })
  const decisions = { allowed: 0, denied: 0 }
  new Counter({
    name: 'daikon_decisions_total',
    help: 'Answers of checks',
    labelNames: ['answer'],
    registers,
    collect() {
      this.reset()
      for (const [answer, count] of Object.entries(decisions)) this.inc({ answer }, count)
    },
  })
  const signIns = new Counter({
    name: 'daikon_sign_ins_total',
    help: 'Returns from providers, by what became of them',
    labelNames: ['provider', 'flow', 'outcome'],
    registers,
  })
  addPools(counts, registers)
  addState(readReadiness, registers)

  return {
    registry,
    countBatch: (callers) => batches.observe(callers),
    countCall(result) {
      counters.count(result)
      const { operation, response } = result
      if (!response || typeof operation.handler === 'function') return
      for (const allowed of operation.handler.answers(response))
        decisions[allowed ? 'allowed' : 'denied'] += 1
    },
    countSignIn: (signIn) => signIns.inc(signIn),
  }
}

function addPools(counts: Database['counts'], registers: Registry[]): void {
  new Gauge({
    name: 'daikon_pool_connections',
    help: 'Connections to PostgreSQL, by pool and state',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [pool, { used, idle }] of Object.entries(counts())) {
        this.set({ pool, state: 'used' }, used)
        this.set({ pool, state: 'idle' }, idle)
      }
    },
  })
  new Gauge({
    name: 'daikon_pool_waiting',
    help: 'Callers that wait for a connection',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const [pool, { waiting }] of Object.entries(counts())) this.set({ pool }, waiting)
    },
  })
}

function addState(read: () => Promise<Readiness>, registers: Registry[]): void {
  const flags: [string, string, (state: Readiness) => boolean][] = [
    ['daikon_ready', 'The node takes calls', ({ ready }) => ready],
    ['daikon_draining', 'The node is about to stop', ({ draining }) => draining],
    ['daikon_development_mode', 'No service key is asked for', (state) => state.development_mode],
    ['daikon_redis_fallback', 'Redis fails, limits are local', ({ redis }) => redis === 'away'],
  ]
  for (const [name, help, flag] of flags) {
    new Gauge({
      ...{ name, help, registers, aggregator: name === 'daikon_ready' ? 'min' : 'max' },
      async collect() {
        this.set(flag(await read()) ? 1 : 0)
      },
    })
  }
}
