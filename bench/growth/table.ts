import { formatNumber } from '../table.ts'
import type { Cost, GrowthResults } from './measure.ts'

const maxGrowth = 1.25
/** A level of an index for each of the rows that are read is no growth that matters. */
const fewPages = 50

export type Growth = Cost & { all: Cost[]; ratio: number }

/** Returns each row with its costs at every size, and the ratio of pages of the last to the first. */
export function growthOf(results: GrowthResults): Growth[] {
  const [first] = results
  return (first?.costs ?? []).map((cost) => {
    const all = results.map(({ costs }) => costs.find(({ label }) => label === cost.label) ?? cost)
    return { ...cost, all, ratio: (all.at(-1)?.pages ?? 0) / Math.max(1, cost.pages) }
  })
}

/** Returns whether a call reads more pages at the largest size, although its result is the same. */
export function isGrowing({ grows, pages, ratio }: Growth): boolean {
  return !grows && ratio > maxGrowth && (ratio - 1) * pages > fewPages
}

/** Formats a table with a plot: each row has a bar whose length is the logarithm of its ratio. */
export function formatGrowth(results: GrowthResults): string {
  const sizes = results.map(({ size }) => formatNumber(size.resources))
  const unit = (name: string) => sizes.map((size) => `${name}, ${size}`)
  const head = ['call', ...unit('pages'), 'ratio', ...unit('ms'), 'ratio', '']
  const rows = growthOf(results).map((row) => {
    const { label, grows, all, ratio } = row
    const times = all.map(({ milliseconds }) => milliseconds)
    const cells = [
      grows ? `${label} (more ${grows})` : label,
      ...all.map(({ pages }) => formatNumber(pages)),
      formatNumber(ratio),
      ...times.map(formatNumber),
      formatNumber((times.at(-1) ?? 0) / (times[0] ?? 1)),
      isGrowing(row) ? 'grows' : '',
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
