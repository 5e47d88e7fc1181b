import type { Tally } from './traffic.ts'

/** What a fault did. */
export type Measure = {
  fault: string
  /** How clients' calls ended. */
  saw: Tally
  /** What was acknowledged and lost, and what was half done; must be empty. */
  lost: string[]
  /** Milliseconds from the end of the fault until every kind of call succeeds again. */
  normal?: number
  note?: string
}

/** How a call may end while something is broken: with an answer, a Fault that says so, or cut off. */
export const honest = ['ok', 'unavailable', 'cut']

/** The table's head. */
export const head = `| fault | what clients saw | lost or half done | until normal | |
|---|---|--:|--:|---|`

/** A measure as a row of the table. */
export function row({ fault, saw, lost, normal, note }: Measure): string {
  const counts = Object.entries(saw).map(([label, count]) => `${count} ${label}`)
  const back = normal === undefined ? '' : `${(normal / 1000).toFixed(2)} s`
  return `| ${[fault, counts.join(', '), lost.length, back, note ?? ''].join(' | ')} |`
}
