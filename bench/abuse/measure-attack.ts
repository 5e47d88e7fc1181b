import { setTimeout as sleep } from 'node:timers/promises'
import { startBenchProcess } from '../child-process.ts'
import type { NodeProcess } from '../faults/node-process.ts'
import { countOutcome, type OutcomeCounts, sum } from '../faults/traffic.ts'
import { formatNumber } from '../table.ts'
import type { AttackJob } from './attacker.ts'
import type { Target } from './target.ts'
import type { TenantTraffic, TrafficSample } from './tenant-traffic.ts'

/** Latencies in milliseconds. */
type Latencies = { p50: number; p99: number; calls: number }

/** Resident memory of the attacked node, in MiB. */
export type Memory = { before: number; peak: number; after: number }

/** What other tenants observed beside an attack, on the attacked node and on the other ones. */
export type AttackResult = {
  /** Numbers of the attacker's calls by outcome. */
  outcomes: OutcomeCounts
  quiet: Latencies
  beside: Latencies
  besideOnOthers: Latencies
  /** The failed calls of other tenants. */
  errors: OutcomeCounts
  memory: Memory
}

export type AttackOptions = {
  /** The nodes; the first one is attacked. */
  nodes: NodeProcess[]
  traffic: TenantTraffic
  target: Target
  /** The duration of the attack, and of the quiet time before it. */
  seconds: number
  quietSeconds: number
  /** The time that memory has to come back to what it was, in seconds. */
  settleSeconds: number
}

/** Growth of memory, in MiB, that counts as having come back. */
const settled = 32

/** Runs attacks at once beside the traffic of other tenants. */
export async function measureAttack(
  names: string[],
  options: AttackOptions,
): Promise<AttackResult> {
  const { nodes, traffic, target, seconds, quietSeconds, settleSeconds } = options
  const [attacked] = nodes as [NodeProcess]
  const attacker = startBenchProcess('abuse/attacker.ts')
  await attacker.request({})
  traffic.take()
  await sleep(quietSeconds * 1000)
  const [quiet] = traffic.take() as [TrafficSample]
  const before = attacked.memory()
  let peak = before
  const watch = setInterval(() => {
    peak = Math.max(peak, attacked.memory())
  }, 20)
  try {
    const job: AttackJob = { names, target, seconds }
    const outcomes = await attacker.request<OutcomeCounts>(job, seconds)
    const [beside, ...others] = traffic.take() as [TrafficSample, ...TrafficSample[]]
    const deadline = performance.now() + settleSeconds * 1000
    while (attacked.memory() > before + settled && performance.now() < deadline) await sleep(100)
    return {
      outcomes,
      quiet: summarize([quiet]),
      beside: summarize([beside]),
      besideOnOthers: summarize(others),
      errors: countErrors([quiet, beside, ...others, ...traffic.take()]),
      memory: { before, peak, after: attacked.memory() },
    }
  } finally {
    clearInterval(watch)
  }
}

function summarize(samples: TrafficSample[]): Latencies {
  const sorted = Float64Array.from(samples.flatMap(({ latencies }) => latencies)).sort()
  const quantile = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
  return { p50: quantile(0.5), p99: quantile(0.99), calls: sorted.length }
}

function countErrors(samples: TrafficSample[]): OutcomeCounts {
  const errors: OutcomeCounts = {}
  for (const sample of samples)
    for (const [error, count] of Object.entries(sample.errors)) countOutcome(errors, error, count)
  return errors
}

export const tableHead = `| attack | attacker’s calls | other tenants: p50, p99 quiet | beside | ratio of p99 | other node beside | failed calls of others | memory before, peak, after |
|---|---|--:|--:|--:|--:|--:|--:|`

/** Formats a result as a row of the table. */
export function formatRow(title: string, result: AttackResult): string {
  const { outcomes, quiet, beside, besideOnOthers, errors, memory } = result
  const cells = [
    title,
    formatOutcomes(outcomes),
    formatLatencies(quiet),
    formatLatencies(beside),
    formatNumber(beside.p99 / quiet.p99),
    besideOnOthers.calls > 0 ? formatLatencies(besideOnOthers) : '',
    `${sum(errors)} of ${beside.calls + besideOnOthers.calls}`,
    `${[memory.before, memory.peak, memory.after].map(Math.round).join(', ')} MiB`,
  ]
  return `| ${cells.join(' | ')} |`
}

function formatOutcomes(outcomes: OutcomeCounts): string {
  return Object.entries(outcomes)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${formatNumber(count)} ${outcome}`)
    .join(', ')
}

function formatLatencies({ p50, p99 }: Latencies): string {
  return `${formatNumber(p50)}, ${formatNumber(p99)} ms`
}
