import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type Metric,
  Registry,
} from 'prom-client'
import type { Database } from '../../database/database.ts'
import { type ReplayedSecret, replayedSecrets } from '../../identity/identity-dependencies.ts'
import type { CacheResult } from '../../permissions/engine/memory/verified-cache.ts'
import { type Admissions, countAdmitted } from '../../rpc/admit.ts'
import type { CallResult } from '../../rpc/pipeline.ts'
import type { Readiness } from '../readiness.ts'
import type { ReloadState } from '../reload.ts'
import { createCallCounters } from './call-counters.ts'

/** The Prometheus metrics of a node. */
export type Metrics = {
  registry: Registry
  countCall(result: CallResult): void
  /** Records the number of callers that share a statement. */
  countBatch(callers: number): void
  /** Records the result of a lookup in the cache for checks and lists. */
  countCachedQuery(result: CacheResult): void
  /** Records the outcome of a sign-in. */
  countSignIn(signIn: { flow: string; provider: string; outcome: string }): void
  /** Records that a single-use secret was presented again. */
  countReplay(secret: ReplayedSecret): void
}

/** The state of signing keys and certificates that the metrics show. */
export type KeyMaterial = {
  reloads: ReloadState[]
  signingKey(): { kid: string; createdAt: Date | undefined }
  /** Returns when the certificates of gRPC expire, by name. */
  certificateExpiry(): Record<string, Date>
}

/** Creates the metrics of a node. Gauges are updated when they are scraped. */
export function createMetrics(
  counts: Database['counts'],
  readReadiness: () => Promise<Readiness>,
  admissions: Admissions,
  keyMaterial: KeyMaterial,
): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const counters = createCallCounters()
  for (const { name } of counters.collect()) {
    const get = async () => counters.collect().find((metric) => metric.name === name)
    // A registry uses no other part of the metric interface.
    const metric = { name, get, getForPromString: get, reset: () => {} }
    registry.registerMetric(metric as unknown as Metric<string>)
  }
  const batches = new Histogram({
    name: 'daikon_batched_query_callers',
    help: 'Callers that share one facts statement',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000],
    registers,
  })
  const cachedQueries: Record<CacheResult, number> = { hit: 0, miss: 0, changed: 0 }
  new Counter({
    name: 'daikon_facts_cache_queries_total',
    help: 'Queries for facts: in memory (hit), not in memory (miss), or in memory but changed since',
    labelNames: ['result'],
    registers,
    collect() {
      this.reset()
      for (const [result, count] of Object.entries(cachedQueries)) this.inc({ result }, count)
    },
  })
  const decisions = { allowed: 0, denied: 0 }
  new Counter({
    name: 'daikon_decisions_total',
    help: 'Results of permission checks',
    labelNames: ['result'],
    registers,
    collect() {
      this.reset()
      for (const [result, count] of Object.entries(decisions)) this.inc({ result }, count)
    },
  })
  const signIns = new Counter({
    name: 'daikon_sign_ins_total',
    help: 'Completed sign-ins and wrong codes, by provider, flow and outcome',
    labelNames: ['provider', 'flow', 'outcome'],
    registers,
  })
  const replays = new Counter({
    name: 'daikon_replays_total',
    help: 'Refresh tokens, authorization codes and sign-in states that were presented after their use',
    labelNames: ['secret'],
    registers,
  })
  // Each series starts at 0, because Prometheus sees no increase in one that starts at 1.
  for (const secret of replayedSecrets) replays.inc({ secret }, 0)
  addPools(counts, registers)
  addAdmissions(admissions, registers)
  addState(readReadiness, registers)
  addKeyMaterial(keyMaterial, registers)

  return {
    registry,
    countBatch: (callers) => batches.observe(callers),
    countCachedQuery(result) {
      cachedQueries[result] += 1
    },
    countCall(result) {
      counters.count(result)
      const { operation, response, error } = result
      if (error && operation.handler.denials?.includes(error.reason)) decisions.denied += 1
      if (!response) return
      for (const allowed of operation.handler.outcomes?.(response) ?? [])
        decisions[allowed ? 'allowed' : 'denied'] += 1
    },
    countSignIn: (signIn) => signIns.inc(signIn),
    countReplay: (secret) => replays.inc({ secret }),
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
    help: 'Callers waiting for a connection, by pool',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const [pool, { waiting }] of Object.entries(counts())) this.set({ pool }, waiting)
    },
  })
}

function addAdmissions(admissions: Admissions, registers: Registry[]): void {
  const gauges = [
    ['running', 'Admitted calls that run, by class of capacity'],
    ['queued', 'Calls waiting to be admitted, by class of capacity'],
  ] as const
  for (const [state, help] of gauges) {
    new Gauge({
      name: `daikon_admission_${state}`,
      help,
      labelNames: ['class'],
      registers,
      collect() {
        for (const [name, counts] of countAdmitted(admissions))
          this.set({ class: name }, counts[state])
      },
    })
  }
}

function addState(read: () => Promise<Readiness>, registers: Registry[]): void {
  const flags: [string, string, (state: Readiness) => boolean][] = [
    ['daikon_ready', 'Whether the node accepts calls', ({ ready }) => ready],
    ['daikon_draining', 'Whether the node is shutting down', ({ draining }) => draining],
    [
      'daikon_development_mode',
      'Whether no service key is required',
      (state) => state.development_mode,
    ],
    [
      'daikon_redis_fallback',
      'Whether rate limits are counted in this process because Redis fails',
      ({ redis }) => redis === 'away',
    ],
  ]
  for (const [name, help, flag] of flags) {
    new Gauge({
      name,
      help,
      registers,
      aggregator: name === 'daikon_ready' ? 'min' : 'max',
      async collect() {
        this.set(flag(await read()) ? 1 : 0)
      },
    })
  }
  new Gauge({
    name: 'daikon_clock_offset_seconds',
    help: 'Seconds that the clock is ahead of the clock of PostgreSQL, or behind if negative',
    registers,
    aggregator: 'average',
    async collect() {
      this.set((await read()).clock_offset_seconds)
    },
  })
}

function addKeyMaterial(
  { reloads, signingKey, certificateExpiry }: KeyMaterial,
  registers: Registry[],
): void {
  new Gauge({
    name: 'daikon_signing_key_created_timestamp_seconds',
    help: 'When the key that signs tokens was created, in Unix time',
    labelNames: ['kid'],
    registers,
    aggregator: 'min',
    collect() {
      this.reset()
      const { kid, createdAt } = signingKey()
      if (createdAt) this.set({ kid }, createdAt.getTime() / 1000)
    },
  })
  new Gauge({
    name: 'daikon_certificate_expiry_timestamp_seconds',
    help: 'When a certificate of the gRPC server expires, in Unix time',
    labelNames: ['certificate'],
    registers,
    aggregator: 'min',
    collect() {
      for (const [certificate, date] of Object.entries(certificateExpiry()))
        this.set({ certificate }, date.getTime() / 1000)
    },
  })
  new Gauge({
    name: 'daikon_reload_failing',
    help: 'Whether changed signing keys or certificates are invalid, so that the previous ones remain in use',
    labelNames: ['files'],
    registers,
    aggregator: 'max',
    collect() {
      for (const { name, isFailing } of reloads) this.set({ files: name }, isFailing ? 1 : 0)
    },
  })
  new Counter({
    name: 'daikon_reloads_total',
    help: 'Reloads of changed signing keys and certificates, by result',
    labelNames: ['files', 'result'],
    registers,
    collect() {
      this.reset()
      for (const { name, succeeded, failed } of reloads) {
        this.inc({ files: name, result: 'ok' }, succeeded)
        this.inc({ files: name, result: 'failed' }, failed)
      }
    },
  })
}
