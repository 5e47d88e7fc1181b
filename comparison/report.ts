import { formatNumber } from '../bench/table.ts'
import type { Cell, ComparisonRow } from './measure.ts'

/**
 * Formats Markdown tables with the rates and their ratios to the first peer, latencies and CPU
 * time.
 */
export function formatComparison(names: string[], rows: ComparisonRow[]): string[] {
  const [own = ''] = names
  const table = (title: string, format: (cell: Cell, first: Cell | undefined) => string) => [
    `${title}\n`,
    `| case | ${names.join(' | ')} |`,
    `|---|${names.map(() => '--:|').join('')}`,
    ...rows.map(({ label, cells }) => {
      const texts = names.map((name) => {
        const cell = cells.get(name)
        return cell ? format(cell, cells.get(own)) : '–'
      })
      return `| ${label} | ${texts.join(' | ')} |`
    }),
    '',
  ]
  return [
    ...table(`Calls per second; in brackets, ${own} is this many times as fast:`, (cell, first) =>
      cell === first
        ? formatNumber(Math.round(cell.rate))
        : `${formatNumber(Math.round(cell.rate))} (${formatNumber((first?.rate ?? 0) / cell.rate)} ×)`,
    ),
    ...table(
      'Latency, p50 / p99 in ms:',
      ({ p50, p99 }) => `${formatNumber(p50)} / ${formatNumber(p99)}`,
    ),
    ...table(
      `CPU time per call in µs, server + PostgreSQL, for pages + service${describeGeneratorCpu(rows)}:`,
      ({ serverCpu, postgresCpu, serviceCpu }) =>
        [serverCpu, postgresCpu, ...(serviceCpu === undefined ? [] : [serviceCpu])]
          .map((time) => formatNumber(Math.round(time)))
          .join(' + '),
    ),
  ]
}

/** Returns the CPU time of the generator, or '' if no row of single checks was measured. */
function describeGeneratorCpu(rows: ComparisonRow[]): string {
  const checks = rows.filter(({ label }) => label.startsWith('check, '))
  if (checks.length === 0) return ''
  const times = checks.flatMap(({ cells }) => [...cells.values()].map((cell) => cell.generatorCpu))
  return `; the load generator used at most ${formatNumber(Math.max(...times))} µs per check`
}
