import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { measureAccess } from './access.ts'
import { measureAccessible } from './accessible.ts'
import { measureApiKeys } from './api-keys.ts'
import { measureApiTokens } from './api-tokens.ts'
import { openBenchDatabase } from './bench-database.ts'
import { measureCheck } from './check.ts'
import { stopBenchProcesses } from './child-process.ts'
import { measureClient } from './client.ts'
import { measureConditions } from './conditions.ts'
import { measureDelegations } from './delegations.ts'
import { measureFacts } from './facts.ts'
import { measureFairness } from './fairness.ts'
import { measureFeed } from './feed.ts'
import { measureFolders } from './folders.ts'
import { measureGateway } from './gateway.ts'
import { measureGrowth } from './growth.ts'
import { createHarness, type Harness } from './harness.ts'
import { measureLists } from './lists.ts'
import { describeMachine } from './machine.ts'
import { measureMany } from './many.ts'
import { measureMemory } from './memory.ts'
import { measureReplicas } from './replicas.ts'
import { measureRest } from './rest.ts'
import { measureStart } from './start.ts'
import { measureStream } from './stream.ts'
import { formatRow, type Row, tableHead } from './table.ts'
import { measureWrites } from './writes.ts'

/**
 * `npm run bench [-- <parts>] [--quick] [--long]`: measures every performance goal; see README.md.
 */
const parts: Record<string, (harness: Harness, addRow: (row: Row) => void) => Promise<void>> = {
  check: measureCheck,
  facts: measureFacts,
  client: measureClient,
  fairness: measureFairness,
  stream: measureStream,
  accessible: measureAccessible,
  access: measureAccess,
  'api-keys': measureApiKeys,
  'api-tokens': measureApiTokens,
  conditions: measureConditions,
  delegations: measureDelegations,
  writes: measureWrites,
  many: measureMany,
  folders: measureFolders,
  rest: measureRest,
  gateway: measureGateway,
  replicas: measureReplicas,
  feed: measureFeed,
  lists: measureLists,
  memory: measureMemory,
  start: measureStart,
}

const quick = process.argv.includes('--quick')
const long = process.argv.includes('--long')
const names = process.argv.slice(2).filter((word) => !word.startsWith('--'))

/** The time limit in milliseconds, excluding the creation of the data set. */
const timeLimit = long ? 3_300_000 : 2_700_000

const [first, ...words] = names
if (first === 'growth') await measureGrowth(words, process.argv.slice(2))
else await measureParts()

async function measureParts(): Promise<void> {
  for (const name of names)
    if (!parts[name])
      throw new Error(`Unknown part: ${name}. Parts are ${Object.keys(parts).join(', ')}, growth`)
  const chosen = Object.keys(parts).filter((name) => names.length === 0 || names.includes(name))
  const database = await openBenchDatabase(quick)
  const bound = setTimeout(() => {
    void stopBenchProcesses()
    throw new Error('The benchmark exceeded its time limit')
  }, timeLimit)
  const startedAt = performance.now()

  try {
    const options = quick ? { quick, rounds: 15, seconds: 0.5 } : full()
    const generators = describeGenerators(await createHarness(database, options))
    const { users, resources } = database.size
    const lines = [
      `${await describeMachine(database.url)}.`,
      `${users} users, ${resources} resources, three times as many shares; medians of ${options.rounds}`,
      `interleaved rounds of ${options.seconds} s. ${generators}\n\n${tableHead}`,
    ]
    process.stdout.write(`${lines.join('\n')}\n`)
    for (const name of chosen) {
      await parts[name]?.(await createHarness(database, options), (row) => {
        lines.push(formatRow(name, row))
        process.stdout.write(`${lines.at(-1)}\n`)
      })
      // The servers of a part have jobs that would run, and take work, beside the next part.
      await stopBenchProcesses()
    }
    const took = `Total time: ${Math.round((performance.now() - startedAt) / 1000)} s.`
    process.stdout.write(`\n${took}\n`)
    const isComplete = chosen.length === Object.keys(parts).length && !quick
    const results = `# Results of the last complete run\n\n${lines.join('\n')}\n\n${took}\n`
    if (isComplete) writeFileSync(join(import.meta.dirname, 'results.md'), results)
  } finally {
    clearTimeout(bound)
    await stopBenchProcesses()
    await database.close()
  }
}

function describeGenerators({ generators }: Harness): string {
  return generators.includes('go')
    ? 'The generator in Go applies unary loads, that in Node all others.'
    : 'Go is not installed: the generator in Node applies all loads, and takes about half of the CPU.'
}

function full() {
  return { quick, rounds: 3, seconds: 1.5 }
}
