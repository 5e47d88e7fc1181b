import { setTimeout as sleep } from 'node:timers/promises'
import { startBenchProcess } from '../child-process.ts'
import type { NodeProcess } from '../faults/node-process.ts'
import { countOutcome, type OutcomeCounts, sum } from '../faults/traffic.ts'
import { latenciesOf } from '../quantiles.ts'
import { formatNumber } from '../table.ts'
import type { AttackJob } from './attacker.ts'
import type { Target } from './target.ts'
import type { TenantTraffic, TrafficSample } from './tenant-traffic.ts'

/** Latencies in milliseconds. */
type Latencies = { p50: number; p99: number; calls: number }

/** Resident memory of the attacked node, in MiB. */
export type Memory = { before: number; peak: number; after: number }

/** The effect of an attack on other tenants, on the attacked node and on the other nodes. */
export type AttackResult = {
  /** The number of the attacker's calls by outcome. */
  outcomes: OutcomeCounts
  quiet: Latencies
  duringAttack: Latencies
  duringAttackOnOthers: Latencies
  /** The failed calls of other tenants. */
  errors: OutcomeCounts
  memory: Memory
}

export type AttackOptions = {
  /** The nodes; the first one is attacked. */
  nodes: NodeProcess[]
  traffic: TenantTraffic
  target: Target
  /** The duration of the attack and of the quiet period before it. */
  seconds: number
  quietSeconds: number
  /** Seconds to wait for memory to return to its previous level. */
  settleSeconds: number
  /** The growth of memory, in MiB, that is considered a return to the previous level. */
  settledGrowth: number
}

/** Runs attacks concurrently with the traffic of other tenants. */
export async function measureAttack(
  names: string[],
  options: AttackOptions,
): Promise<AttackResult> {
  const { nodes, traffic, target, seconds, quietSeconds, settleSeconds, settledGrowth } = options
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
    const [duringAttack, ...others] = traffic.take() as [TrafficSample, ...TrafficSample[]]
    const deadline = performance.now() + settleSeconds * 1000
    while (attacked.memory() > before + settledGrowth && performance.now() < deadline)
      await sleep(100)
    return {
      outcomes,
      quiet: summarize([quiet]),
      duringAttack: summarize([duringAttack]),
      duringAttackOnOthers: summarize(others),
      errors: countErrors([quiet, duringAttack, ...others, ...traffic.take()]),
      memory: { before, peak, after: attacked.memory() },
    }
  } finally {
    clearInterval(watch)
  }
}

function summarize(samples: TrafficSample[]): Latencies {
  const times = samples.flatMap(({ latencies }) => latencies)
  return { ...latenciesOf(times), calls: times.length }
}

function countErrors(samples: TrafficSample[]): OutcomeCounts {
  const errors: OutcomeCounts = {}
  for (const sample of samples)
    for (const [error, count] of Object.entries(sample.errors)) countOutcome(errors, error, count)
  return errors
}

export const tableHead = `| attack | attacker’s calls | other tenants: p50, p99 quiet | during attack | ratio of p99 | other node during attack | failed calls of others | memory before, peak, after |
|---|---|--:|--:|--:|--:|--:|--:|`

/** Formats a result as a row of the table. */
export function formatRow(title: string, result: AttackResult): string {
  const { outcomes, quiet, duringAttack, duringAttackOnOthers, errors, memory } = result
  const cells = [
    title,
    formatOutcomes(outcomes),
    formatLatencies(quiet),
    formatLatencies(duringAttack),
    formatNumber(duringAttack.p99 / quiet.p99),
    duringAttackOnOthers.calls > 0 ? formatLatencies(duringAttackOnOthers) : '',
    `${sum(errors)} of ${duringAttack.calls + duringAttackOnOthers.calls}`,
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
