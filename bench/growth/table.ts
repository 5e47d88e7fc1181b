import type { GrowthResults } from '../growth.ts'
import { formatNumber } from '../table.ts'
import type { Cost } from './measure.ts'

/** Pages beyond which a row may grow, compared with the smallest size. */
export const maxGrowth = 1.25

export type Growth = Cost & { all: Cost[]; ratio: number }

/** Returns each row with its costs at every size, and the ratio of pages of the last to the first. */
export function growthOf(results: GrowthResults): Growth[] {
  const [first] = results
  return (first?.costs ?? []).map((cost) => {
    const all = results.map(({ costs }) => costs.find(({ label }) => label === cost.label) ?? cost)
    return { ...cost, all, ratio: (all.at(-1)?.pages ?? 0) / Math.max(1, cost.pages) }
  })
}

/** Formats a table with a plot: each row has a bar whose length is the logarithm of its ratio. */
export function formatGrowth(results: GrowthResults): string {
  const sizes = results.map(({ size }) => formatNumber(size.resources))
  const unit = (name: string) => sizes.map((size) => `${name}, ${size}`)
  const head = ['call', ...unit('pages'), 'ratio', ...unit('ms'), 'ratio', '']
  const rows = growthOf(results).map(({ label, grows, all, ratio }) => {
    const times = all.map(({ milliseconds }) => milliseconds)
    const cells = [
      grows ? `${label} (more ${grows})` : label,
      ...all.map(({ pages }) => formatNumber(pages)),
      formatNumber(ratio),
      ...times.map(formatNumber),
      formatNumber((times.at(-1) ?? 0) / (times[0] ?? 1)),
      ratio > maxGrowth && !grows ? 'grows' : '',
    ]
    return `| ${cells.join(' | ')} |`
  })
  const separator = `|---|${'--:|'.repeat(head.length - 2)}---|`
  return `| ${head.join(' | ')} |\n${separator}\n${rows.join('\n')}\n\n${plot(results)}`
}

/** Draws the pages of each call at every size, as multiples of the smallest. */
function plot(results: GrowthResults): string {
  const rows = growthOf(results)
  const width = Math.max(...rows.map(({ label }) => label.length))
  const lines = rows.map(({ label, ratio }) => {
    const length = Math.round(Math.max(0, Math.log2(ratio)) * 8)
    return `${label.padEnd(width)} |${'#'.repeat(length)} ${formatNumber(ratio)}`
  })
  return `Pages of the largest size as a multiple of the smallest, on a logarithmic scale:\n\n\`\`\`text\n${lines.join('\n')}\n\`\`\`\n`
}
