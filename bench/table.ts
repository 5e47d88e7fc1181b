/** A line of the table. `value` is held against the goal; without one it is only told. */
export type Row = {
  what: string
  /** What was measured, and what beside it in the same run. */
  daikon: string
  beside: string
  value: number
  unit?: string
  goal?: { least: number } | { most: number }
}

/** The table's head. */
export const head = `| part | what | daikon | beside it | value | goal | |
|---|---|--:|--:|--:|--:|---|`

/** The row as a line of Markdown. */
export function line(part: string, row: Row): string {
  const { what, daikon, beside, value, unit = '', goal } = row
  const cells = [part, what, daikon, beside, `${number(value)}${unit}`, sayGoal(row), verdict(row)]
  return `| ${cells.join(' | ')} |`

  function sayGoal({ goal }: Row): string {
    if (!goal) return ''
    return 'least' in goal ? `≥ ${number(goal.least)}${unit}` : `≤ ${number(goal.most)}${unit}`
  }

  function verdict({ value }: Row): string {
    if (!goal) return ''
    return ('least' in goal ? value >= goal.least : value <= goal.most) ? 'ok' : 'missed'
  }
}

/** A number as it is read best: three digits of it at least, whole ones as they are. */
export function number(value: number): string {
  const digits =
    Number.isInteger(value) || Math.abs(value) >= 100 ? 0 : Math.abs(value) < 10 ? 2 : 1
  return value.toFixed(digits).replace(/\B(?=(\d{3})+(?!\d))/g, ',')
}

/** `13,400/s, p50 4.10, p99 9.80 ms`. */
export function load({ rate, p50, p99 }: { rate: number; p50: number; p99: number }): string {
  return `${number(rate)}/s, p50 ${number(p50)}, p99 ${number(p99)} ms`
}
