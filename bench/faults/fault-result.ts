import type { OutcomeCounts } from './traffic.ts'

/** The effect of a fault. */
export type FaultResult = {
  fault: string
  /** The number of client calls by outcome. */
  outcomes: OutcomeCounts
  /** Acknowledged changes that were lost, and partial changes. Must be empty. */
  problems: string[]
  /** Milliseconds from the end of the fault until every kind of call succeeds again. */
  recoveryMilliseconds?: number
  note?: string
}

/**
 * Outcomes that are acceptable during a fault: success, an error that reports the fault, or a lost
 * connection.
 */
export const acceptableOutcomes = ['ok', 'unavailable', 'cut']

export const tableHead = `| fault | outcomes of calls | lost or partial changes | recovery | |
|---|---|--:|--:|---|`

/** Formats a result as a row of the table. */
export function formatRow({
  fault,
  outcomes,
  problems,
  recoveryMilliseconds,
  note,
}: FaultResult): string {
  const counts = Object.entries(outcomes).map(([label, count]) => `${count} ${label}`)
  const recovery =
    recoveryMilliseconds === undefined ? '' : `${(recoveryMilliseconds / 1000).toFixed(2)} s`
  return `| ${[fault, counts.join(', '), problems.length, recovery, note ?? ''].join(' | ')} |`
}
