/** Formats a Markdown table; all columns but the first are aligned to the right. */
export function formatTable(head: string[], rows: string[][]): string {
  const rule = head.map((_, index) => (index === 0 ? '---' : '--:'))
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** The value that `percent` of the values do not exceed. */
export function percentile(values: number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? Number.NaN
}
