import { askAround } from './questions.ts'
import { answer, writeChecks } from './requests.ts'
import type { Measured, Rig } from './rig.ts'
import { interleave, medianOf, middleOf } from './rounds.ts'
import { load, number, type Row } from './table.ts'

type Case = {
  items: number
  inFlight: number
  ratio?: number
  items_per_second?: number
  /** Measured with two processes as well. */
  workers?: true
}

const cases: Case[] = [
  { items: 1, inFlight: 1 },
  { items: 1, inFlight: 8 },
  { items: 1, inFlight: 64, ratio: 0.6, workers: true },
  { items: 1, inFlight: 256, ratio: 0.75, workers: true },
  { items: 50, inFlight: 16, ratio: 0.2 },
  { items: 1000, inFlight: 4, items_per_second: 100_000 },
]

type Round = Record<'floor' | 'daikon', Measured> & Record<'trip' | 'workers', Measured | undefined>

/** Unary Check against the floor: a grpc-js handler that does nothing with the same bytes. */
export async function measureCheck(rig: Rig, tell: (row: Row) => void): Promise<void> {
  const { place, quick, rounds, measure } = rig
  const [daikon, floor] = [rig.daikon(), rig.child('floor-server.ts')]
  const driver = rig.child('driver.ts', place.url)
  const files = new Map<number, ReturnType<typeof writeChecks>>()
  for (const { items, inFlight, ratio, items_per_second, workers } of cases) {
    const count = Math.ceil((quick ? 100 : 2000) / Math.sqrt(items))
    if (!files.has(items)) {
      const answered = await answer(rig, daikon, await askAround(place, items, count))
      files.set(items, writeChecks(rig, `check-${items}`, answered))
    }
    const file = files.get(items) as ReturnType<typeof writeChecks>
    const job = { kind: 'unary', inFlight } as const
    const { seconds } = rig
    // The others are warm by the cases before.
    if (workers) await measure(rig.workers(), { ...job, files: [file.daikon] })
    const taken: Round[] = await interleave(rounds, {
      floor: () => measure(floor, { ...job, files: [file.floor] }),
      daikon: () => measure(daikon, { ...job, files: [file.daikon] }),
      workers: async () => workers && measure(rig.workers(), { ...job, files: [file.daikon] }),
      trip: async () =>
        inFlight === 1
          ? driver.ask<Measured>({ what: 'round trip', inFlight, seconds })
          : undefined,
    })
    const what = `${items === 1 ? '1 item' : `${number(items)} items`}, ${inFlight} in flight`
    const beside = say(taken, 'floor')
    const rate = medianOf(taken, ({ floor, daikon }) => daikon.rate / floor.rate)
    const row = { what, daikon: say(taken, 'daikon'), beside }
    const goal = ratio && { goal: { least: ratio } }
    tell({ ...row, value: rate, ...goal })
    if (workers) {
      const figures = taken.flatMap(({ workers, floor }) => (workers ? [{ workers, floor }] : []))
      tell({
        what: `${what}, WORKERS=2`,
        daikon: load(middleOf(figures, ({ workers }) => workers)),
        beside,
        value: medianOf(figures, ({ workers, floor }) => workers.rate / floor.rate),
        ...goal,
      })
    }
    if (items_per_second) {
      const value = medianOf(taken, ({ daikon }) => daikon.rate * items)
      tell({ ...row, beside: '', value, unit: ' items/s', goal: { least: items_per_second } })
    }
    if (inFlight === 1) tell(besideRoundTrip(row, taken))
    if (inFlight === 8) tell(besideFloor(row, taken))
  }
}

/** What a single check takes more than the floor and one round trip to PostgreSQL. */
function besideRoundTrip(row: Pick<Row, 'what' | 'daikon'>, taken: Round[]): Row {
  const trip = medianOf(taken, ({ trip }) => trip?.p50 ?? 0)
  const value = medianOf(taken, ({ floor, daikon }) => daikon.p50 - floor.p50) - trip
  return {
    what: `${row.what}: p50 over floor and round trip`,
    daikon: `p50 ${number(medianOf(taken, ({ daikon }) => daikon.p50))} ms`,
    beside: `${number(medianOf(taken, ({ floor }) => floor.p50))} + ${number(trip)} ms`,
    value,
    unit: ' ms',
    goal: { most: 0.1 },
  }
}

function besideFloor(row: Pick<Row, 'what' | 'daikon'>, taken: Round[]): Row {
  return {
    what: `${row.what}: p99`,
    daikon: `${number(medianOf(taken, ({ daikon }) => daikon.p99))} ms`,
    beside: `${number(medianOf(taken, ({ floor }) => floor.p99))} ms`,
    value: medianOf(taken, ({ floor, daikon }) => daikon.p99 / floor.p99),
    goal: { most: 3 },
  }
}

function say(taken: Round[], name: 'floor' | 'daikon'): string {
  const of = (read: (measured: Measured) => number) => medianOf(taken, (round) => read(round[name]))
  const cpu = number(of(({ cpu, calls }) => cpu / calls))
  const statements = number(of(({ statements, calls }) => statements / calls))
  const own = name === 'daikon' ? `, ${statements} statements` : ''
  return `${load(middleOf(taken, (round) => round[name]))}, ${cpu} µs CPU${own}`
}
