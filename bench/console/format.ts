/** Formats a Markdown table. All columns except the first are right-aligned. */
export function formatTable(head: string[], rows: string[][]): string {
  const rule = head.map((_, index) => (index === 0 ? '---' : '--:'))
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** Returns the value that `percent` of the values do not exceed. */
export function percentile(values: number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? Number.NaN
}
