import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import type { GrowthResults } from '../../bench/growth/measure.ts'
import { growthOf, isGrowing } from '../../bench/growth/table.ts'
import { compareSizes } from '../../bench/growth.ts'

// Larger sizes take minutes to load. A call that reads a whole table reads four times as many pages.
const sizes = [10_000, 40_000].map((resources) => ({ resources, people: 2_000, listed: 2_000 }))

let withStatistics: GrowthResults = []
const withoutStatistics: GrowthResults = []

test.before(async (t) => {
  t.timeout(600_000)
  const folder = await mkdtemp(join(tmpdir(), 'daikon-growth-'))
  try {
    // The smaller size has 50 folders in the workspace with 5 % of the resources.
    const options = { withoutStatistics, maxListFolders: 4 }
    const compared = await compareSizes(folder, sizes, [], () => {}, options)
    withStatistics = compared.results
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

function findGrowing(results: GrowthResults): string[] {
  return growthOf(results)
    .filter(isGrowing)
    .map(({ label, all }) => `${label}: ${all.map(({ pages }) => pages).join(', ')} pages`)
}

test('no call reads more pages because there are more resources', (t) => {
  t.true(growthOf(withStatistics).length > 55)
  t.deepEqual(findGrowing(withStatistics), [])
})

/** Searches by prefix, whose plan must know the text. daikon plans them for each call. */
const needsText = /^administration: (resources, search|names)/

test('other calls than searches do not either without statistics and with generic plans', (t) => {
  t.deepEqual(
    findGrowing(withoutStatistics).filter((row) => !needsText.test(row)),
    [],
  )
})
