import type { Result } from './load.ts'
import { quantileOf } from './quantiles.ts'

type Measures = Record<string, (round: number) => Promise<unknown>>

/** The result of each measurement in one round. */
type Round<Selected extends Measures> = {
  [Name in keyof Selected]: Awaited<ReturnType<Selected[Name]>>
}

/** Runs measurements sequentially, in reverse order in every other round. */
export async function interleave<Selected extends Measures>(
  rounds: number,
  measures: Selected,
): Promise<Round<Selected>[]> {
  const results: Round<Selected>[] = []
  for (let round = 0; round < rounds; round += 1) {
    const result: Record<string, unknown> = {}
    const order = Object.entries(measures)
    if (round % 2 === 1) order.reverse()
    for (const [name, measure] of order) result[name] = await measure(round)
    results.push(result as Round<Selected>)
  }
  return results
}

/** Returns the median of `read` over the rounds. */
export function medianOf<Round>(rounds: Round[], read: (round: Round) => number): number {
  return quantileOf(rounds.map(read), 0.5)
}

/** Returns the medians of the rate and of each latency over the rounds, computed separately. */
export function medianLoad<Round>(
  rounds: Round[],
  read: (round: Round) => Result,
): Pick<Result, 'rate' | 'p50' | 'p99'> {
  return {
    rate: medianOf(rounds, (round) => read(round).rate),
    p50: medianOf(rounds, (round) => read(round).p50),
    p99: medianOf(rounds, (round) => read(round).p99),
  }
}
