import { GCProfiler, type GCProfilerResult } from 'node:v8'
import { medianOf } from './rounds.ts'

/**
 * `node --max-semi-space-size=32 bench/tail-map.ts [<entries>] [--object]` prints what scavenges do
 * while objects enter and leave a `Map`, as streams of node:http2 do, or a plain object. The program
 * does the same on every machine.
 *
 * A `Map` whose table is full of deleted entries gets a new table, and V8 links the old one to it. Once an old
 * table has been promoted, each scavenge keeps all later tables and their entries, and promotes them.
 */
const options = process.argv.slice(2)
const live = Number(options.find((word) => !word.startsWith('--')) ?? 1000)
const count = 200_000

type Statistics = GCProfilerResult['statistics']

const create = () => ({ payload: new Array(200).fill(0.5) })

function replaceInMap(): Statistics {
  const entries = new Map<number, object>()
  return profile((index) => {
    entries.set(index, create())
    entries.delete(index - live)
  })
}

function replaceInObject(): Statistics {
  const entries: Record<number, object> = Object.create(null)
  return profile((index) => {
    entries[index] = create()
    delete entries[index - live]
  })
}

/** The first half warms up. */
function profile(replace: (index: number) => void): Statistics {
  for (let index = 0; index < count; index += 1) replace(index)
  const profiler = new GCProfiler()
  profiler.start()
  for (let index = count; index < 2 * count; index += 1) replace(index)
  return profiler.stop().statistics.filter(({ gcType }) => gcType === 'Scavenge')
}

function print(name: string, scavenges: Statistics): void {
  const median = (read: (one: Statistics[number]) => number) => medianOf(scavenges, read).toFixed(2)
  const used = ({ heapSpaceStatistics }: Statistics[number]['beforeGC'], space: string) =>
    (heapSpaceStatistics.find(({ spaceName }) => spaceName === space)?.spaceUsedSize ?? 0) / 1e6
  const time = median(({ cost }) => cost / 1000)
  const kept = median(({ afterGC }) => used(afterGC, 'new_space'))
  const promoted = median(
    ({ beforeGC, afterGC }) => used(afterGC, 'old_space') - used(beforeGC, 'old_space'),
  )
  process.stdout.write(
    `${name} of ${live}: ${scavenges.length} scavenges of ${time} ms, ${kept} MB kept, ${promoted} MB promoted\n`,
  )
}

if (options.includes('--object')) print('object', replaceInObject())
else print('Map', replaceInMap())
