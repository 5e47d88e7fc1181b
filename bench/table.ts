import type { Result } from './load.ts'

/** A case of the bench. The goal is issue 2's; `later` issue 7's, shown beside it. */
export type Case = { items: number; inFlight: number; goal?: number; later?: number }

/** One measurement of a server: what the load saw, and what the server used in that time. */
export type Measured = Result & { cpu: number; statements: number }

/** Both servers in one round, one after the other. */
export type Round = { floor: Measured; daikon: Measured }

/** The most statements of our own that a call may cost. */
const mostStatements = 2

/** The table's head. */
export const head = `
| items | in flight | floor/s | check/s | ratio | goal | later | floor p50 / p99 ms | check p50 / p99 ms | server CPU µs floor / check | statements a call |
|--:|--:|--:|--:|--:|---|---|--:|--:|--:|--:|`

/** The table's row of a case: medians of its rounds, the ratio by rounds too. */
export function row({ items, inFlight, goal, later }: Case, rounds: Round[]): string {
  const of = (read: (round: Round) => number) => median(rounds.map(read))
  const ratio = of(({ floor, daikon }) => daikon.rate / floor.rate)
  const statements = of(({ daikon }) => daikon.statements / daikon.calls)
  const each = (read: (measured: Measured) => number, digits: number) =>
    [of(({ floor }) => read(floor)), of(({ daikon }) => read(daikon))].map((n) => n.toFixed(digits))
  const times = ['floor', 'daikon'] as const
  const latencies = times.map(
    (name) => `${of((r) => r[name].p50).toFixed(2)} / ${of((r) => r[name].p99).toFixed(2)}`,
  )
  const cells = [
    ...[items, inFlight, ...each(({ rate }) => rate, 0), ratio.toFixed(2)],
    ...[verdict(ratio, goal), verdict(ratio, later), ...latencies],
    each(({ cpu, calls }) => cpu / calls, 0).join(' / '),
    `${statements.toFixed(3)} ${statements <= mostStatements ? 'ok' : 'MISSED'}`,
  ]
  return `| ${cells.join(' | ')} |`
}

function verdict(ratio: number, goal: number | undefined): string {
  if (goal === undefined) return ''
  return `${goal.toFixed(2)} ${ratio >= goal ? 'ok' : 'missed'}`
}

function median(numbers: number[]): number {
  return numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
}
