import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerState } from './children.ts'
import { askAround } from './questions.ts'
import { answer, writeChecks } from './requests.ts'
import type { Measured, Rig } from './rig.ts'
import { number, type Row } from './table.ts'

const megabyte = 1024 * 1024

/** The server's memory under load, once it is warm; ten minutes of it with `--long`. */
export async function measureMemory(rig: Rig, tell: (row: Row) => void): Promise<void> {
  const { place, quick } = rig
  const seconds = process.argv.includes('--long') ? 600 : quick ? 4 : 60
  // A server of its own, whose memory no other part has stretched.
  const { privatePath, publicPath } = place.keyPaths
  const daikon = rig.child('daikon-server.ts', place.url, privatePath, publicPath, 'memory')
  const answered = await answer(rig, daikon, await askAround(place, 1, quick ? 100 : 2000))
  const files = [writeChecks(rig, 'memory', answered).daikon]
  const job = { kind: 'unary', inFlight: 64, files } as const
  await rig.measure(daikon, { ...job, seconds: seconds / 3 })

  const samples: { minutes: number; megabytes: number }[] = []
  const began = performance.now()
  const ended: { result?: Measured } = {}
  const loading = rig.measure(daikon, { ...job, seconds }).then((result) => {
    ended.result = result
  })
  while (!ended.result) {
    const { rss } = await daikon.ask<ServerState>({})
    const minutes = (performance.now() - began) / 60_000
    samples.push({ minutes, megabytes: rss / megabyte })
    await Promise.race([sleep(500), loading])
  }
  await loading
  const sizes = samples.map(({ megabytes }) => megabytes)
  const mean = sizes.reduce((a, b) => a + b, 0) / sizes.length
  const slope = slopeOf(samples)
  tell({
    what: `memory over ${seconds} s at 64 in flight, growth in ten minutes at that slope`,
    daikon: `${number(Math.min(...sizes))} to ${number(Math.max(...sizes))} MB, ${number(slope)} MB a minute`,
    beside: `${number(mean)} MB in the mean`,
    value: (slope * 10 * 100) / mean,
    unit: ' %',
    goal: { most: 10 },
  })
}

/** Megabytes a minute by least squares. */
function slopeOf(samples: { minutes: number; megabytes: number }[]): number {
  const mean = (read: (sample: (typeof samples)[number]) => number) =>
    samples.reduce((sum, sample) => sum + read(sample), 0) / samples.length
  const [x, y] = [mean(({ minutes }) => minutes), mean(({ megabytes }) => megabytes)]
  const along = mean(({ minutes, megabytes }) => (minutes - x) * (megabytes - y))
  return along / mean(({ minutes }) => (minutes - x) ** 2)
}
