/** A row of the table. `value` is compared with `goal`, if set. */
export type Row = {
  label: string
  /** The results of daikon and of the baseline in the same run. */
  daikon: string
  baseline: string
  value: number
  unit?: string
  goal?: { min: number } | { max: number }
}

export const tableHead = `| part | measurement | daikon | baseline | value | goal | |
|---|---|--:|--:|--:|--:|---|`

/** Formats a row as a line of a Markdown table. */
export function formatRow(part: string, row: Row): string {
  const { label, daikon, baseline, value, unit = '', goal } = row
  const cells = [
    part,
    label,
    daikon,
    baseline,
    `${formatNumber(value)}${unit}`,
    sayGoal(row),
    verdict(row),
  ]
  return `| ${cells.join(' | ')} |`

  function sayGoal({ goal }: Row): string {
    if (!goal) return ''
    return 'min' in goal
      ? `≥ ${formatNumber(goal.min)}${unit}`
      : `≤ ${formatNumber(goal.max)}${unit}`
  }

  function verdict({ value }: Row): string {
    if (!goal) return ''
    return ('min' in goal ? value >= goal.min : value <= goal.max) ? 'ok' : 'missed'
  }
}

/** Formats a number with about three significant digits. Integers are not rounded. */
export function formatNumber(value: number): string {
  const digits =
    Number.isInteger(value) || Math.abs(value) >= 100 ? 0 : Math.abs(value) < 10 ? 2 : 1
  return value.toFixed(digits).replace(/\B(?=(\d{3})+(?!\d))/g, ',')
}

/** Formats a load as `13,400/s, p50 4.10, p99 9.80 ms`. */
export function formatLoad({ rate, p50, p99 }: { rate: number; p50: number; p99: number }): string {
  return `${formatNumber(rate)}/s, p50 ${formatNumber(p50)}, p99 ${formatNumber(p99)} ms`
}
