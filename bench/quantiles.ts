/** Returns the number that a share of the numbers does not reach, such as the median for 0.5. */
export function quantileOf(numbers: readonly number[], share: number): number {
  return Float64Array.from(numbers).sort()[Math.floor(numbers.length * share)] ?? 0
}

/** Returns the median of latencies, and what 99 % of them do not reach. */
export function latenciesOf(times: readonly number[]): { p50: number; p99: number } {
  return { p50: quantileOf(times, 0.5), p99: quantileOf(times, 0.99) }
}
