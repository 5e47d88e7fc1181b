import type { Result } from './load.ts'

type Measures = Record<string, (round: number) => Promise<unknown>>

/** One result of each measurement. */
type Round<Taken extends Measures> = { [Name in keyof Taken]: Awaited<ReturnType<Taken[Name]>> }

/** Runs measurements in turn, every other round in reverse order. */
export async function interleave<Taken extends Measures>(
  rounds: number,
  measures: Taken,
): Promise<Round<Taken>[]> {
  const taken: Round<Taken>[] = []
  for (let round = 0; round < rounds; round += 1) {
    const result: Record<string, unknown> = {}
    const order = Object.entries(measures)
    if (round % 2 === 1) order.reverse()
    for (const [name, measure] of order) result[name] = await measure(round)
    taken.push(result as Round<Taken>)
  }
  return taken
}

/** The median of `read` over the rounds. */
export function medianOf<Round>(rounds: Round[], read: (round: Round) => number): number {
  const numbers = rounds.map(read).sort((a, b) => a - b)
  return numbers[Math.floor(numbers.length / 2)] ?? 0
}

/** The medians of rate and latencies over the rounds, each by itself. */
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
