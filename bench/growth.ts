import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeyFiles } from '../src/identity/keys.ts'
import { stopBenchProcesses } from './child-process.ts'
import { deleteStatistics, openGrowthDatabase } from './growth/load.ts'
import { type GrowthResults, measureCosts } from './growth/measure.ts'
import type { GrowthSize } from './growth/shape.ts'
import { formatGrowth } from './growth/table.ts'
import { describeMachine } from './machine.ts'

const people = 100_000
const listed = 100_000

/**
 * `npm run bench -- growth [<words>] [--sizes=100000,1000000]`: measures what a call costs
 * PostgreSQL at several numbers of resources. Words select rows. See README.md.
 */
export async function measureGrowth(words: string[], options: string[]): Promise<void> {
  const chosen = options.find((option) => option.startsWith('--sizes='))?.slice('--sizes='.length)
  const numbers = (chosen ?? '100000,1000000').split(',').map(Number)
  const folder = process.env.BENCH_FOLDER ?? join(tmpdir(), 'daikon-growth')
  const log = (text: string) => process.stderr.write(`${text}\n`)
  const { results, machine } = await compareSizes(
    folder,
    numbers.map((resources) => ({ resources, people, listed })),
    words,
    log,
  )
  const text = `${machine}.\n\n${formatGrowth(results)}`
  process.stdout.write(text)
  if (words.length === 0 && numbers.length > 1)
    writeFileSync(join(import.meta.dirname, 'growth.md'), `# Growth\n\n${text}`)
}

export type CompareOptions = {
  /** If set, what calls cost without the planner's statistics and with generic plans is added. */
  withoutStatistics?: GrowthResults
  /** The number of folders above which lists check children instead, for small sizes. */
  maxListFolders?: number
}

/** Loads and measures sizes one after the other. */
export async function compareSizes(
  folder: string,
  sizes: GrowthSize[],
  words: string[],
  log: (text: string) => void,
  { withoutStatistics, maxListFolders }: CompareOptions = {},
): Promise<{ results: GrowthResults; machine: string }> {
  mkdirSync(folder, { recursive: true })
  const keyPaths = {
    privatePath: join(folder, 'private.pem'),
    publicPath: join(folder, 'public.pem'),
  }
  if (!existsSync(keyPaths.privatePath)) createKeyFiles(keyPaths)
  const wanted = (label: string) => words.every((word) => label.includes(word))
  const results: GrowthResults = []
  let machine = ''
  for (const size of sizes) {
    const database = await openGrowthDatabase(folder, size, log)
    try {
      machine = await describeMachine(database.url)
      const measure = () => measureCosts(database, keyPaths, wanted, maxListFolders)
      results.push({ size, costs: await measure() })
      if (withoutStatistics) {
        await deleteStatistics(database.url)
        withoutStatistics.push({ size, costs: await measure() })
      }
    } finally {
      await stopBenchProcesses()
      await database.stop()
    }
  }
  return { results, machine }
}
