import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { measureAccessible } from './accessible.ts'
import { measureCheck } from './check.ts'
import { endChildren } from './children.ts'
import { measureGrowth } from './growth.ts'
import { describeMachine } from './machine.ts'
import { measureMemory } from './memory.ts'
import { openPlace } from './place.ts'
import { measureRest } from './rest.ts'
import { createRig, type Rig } from './rig.ts'
import { measureStart } from './start.ts'
import { measureStream } from './stream.ts'
import { head, line, type Row } from './table.ts'
import { measureWrites } from './writes.ts'

/** `npm run bench [-- <parts>] [--quick] [--long]`: every goal, measured in one run (README.md). */
const parts: Record<string, (rig: Rig, tell: (row: Row) => void) => Promise<void>> = {
  check: measureCheck,
  stream: measureStream,
  accessible: measureAccessible,
  writes: measureWrites,
  growth: measureGrowth,
  rest: measureRest,
  memory: measureMemory,
  start: measureStart,
}

const quick = process.argv.includes('--quick')
const long = process.argv.includes('--long')
const named = process.argv.slice(2).filter((word) => !word.startsWith('--'))
for (const name of named) if (!parts[name]) throw new Error(`No such part: ${name}`)
const chosen = Object.keys(parts).filter((name) => named.length === 0 || named.includes(name))

/** Milliseconds after which something must be wrong; the making of the data set is not counted. */
const longest = long ? 1_500_000 : 600_000

const place = await openPlace(quick)
const bound = setTimeout(() => {
  endChildren()
  throw new Error('the bench takes too long')
}, longest)
const began = performance.now()

try {
  const rig = await createRig(place, quick ? { quick, rounds: 1, seconds: 0.5 } : full())
  const { users, resources } = place.size
  const lines = [
    `${await describeMachine(place.url)}.`,
    `${users} users, ${resources} resources, three times as many shares; medians of ${rig.rounds}`,
    `rounds of ${rig.seconds} s, taken by turns.\n\n${head}`,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  for (const name of chosen) {
    await parts[name]?.(rig, (row) => {
      lines.push(line(name, row))
      process.stdout.write(`${lines.at(-1)}\n`)
    })
  }
  const took = `All of it took ${Math.round((performance.now() - began) / 1000)} s.`
  process.stdout.write(`\n${took}\n`)
  const whole = chosen.length === Object.keys(parts).length && !quick
  const results = `# Results of the last whole run\n\n${lines.join('\n')}\n\n${took}\n`
  if (whole) writeFileSync(join(import.meta.dirname, 'results.md'), results)
} finally {
  clearTimeout(bound)
  endChildren()
  await place.close()
}

function full() {
  return { quick, rounds: 3, seconds: 1.5 }
}
