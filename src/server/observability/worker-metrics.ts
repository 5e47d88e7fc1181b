import { AggregatorRegistry, Counter, Gauge, type MetricObject, Registry } from 'prom-client'

/** Why a worker was replaced. */
export type ReplacementReason = 'exited' | 'unresponsive'

/** The metrics of a worker as JSON. */
export type WorkerMetrics = MetricObject[]

/** Sums the metrics of workers, and adds those of the primary. */
export type MetricsOfWorkers = {
  countReplacement(reason: ReplacementReason): void
  /**
   * Adds the counters of a worker that has exited to all later sums. If they fell instead,
   * Prometheus would take every earlier call for a new one.
   */
  keepCounters(last: WorkerMetrics | undefined): void
  /** Returns the sums in the Prometheus text format. */
  sum(running: Promise<WorkerMetrics>[], isReady: Promise<boolean>): Promise<string>
}

export function createMetricsOfWorkers(): MetricsOfWorkers {
  const registry = new Registry()
  const replacements = addReplacements(registry)
  const ready = new Gauge({
    name: 'daikon_ready',
    help: 'Whether the node accepts calls',
    registers: [registry],
    aggregator: 'min',
  })
  let kept: Promise<WorkerMetrics> = Promise.resolve([])
  return {
    countReplacement: (reason) => replacements.inc({ reason }),
    keepCounters(last) {
      if (!last) return
      kept = kept.then(async (counters) =>
        AggregatorRegistry.aggregate([counters, onlyCounters(last)]).getMetricsAsJSON(),
      )
    },
    async sum(running, isReady) {
      // Of now, because a running worker that exits while the others respond counts only once.
      const counters = kept
      ready.set((await isReady) ? 1 : 0)
      const parts = await Promise.all([...running, counters, registry.getMetricsAsJSON()])
      return AggregatorRegistry.aggregate(parts).metrics()
    },
  }
}

/** Adds the counter of replaced workers. Each series starts at 0 to make its first increase visible. */
export function addReplacements(registry: Registry): Counter<'reason'> {
  const counter = new Counter({
    name: 'daikon_worker_replacements_total',
    help: 'Workers that were replaced because they exited or did not respond; only with WORKERS above 1',
    labelNames: ['reason'],
    registers: [registry],
  })
  for (const reason of ['exited', 'unresponsive']) counter.inc({ reason }, 0)
  return counter
}

/** Returns the metrics that remain true when their worker no longer responds. */
export function onlyCounters(metrics: WorkerMetrics): WorkerMetrics {
  return metrics.filter(({ type }) => ['counter', 'histogram'].includes(String(type)))
}
