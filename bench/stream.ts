import { askAround, type Question } from './questions.ts'
import { answer, writeChecks, writeStream } from './requests.ts'
import type { Rig } from './rig.ts'
import { interleave, medianOf, middleOf } from './rounds.ts'
import { load, type Row } from './table.ts'

const streams = 4

/** Of what a stream carries at most, in the open loop. */
const share = 0.7

/** CheckStream against unary Check of one item, and its latencies below its most. */
export async function measureStream(rig: Rig, tell: (row: Row) => void): Promise<void> {
  const { place, quick, rounds, measure } = rig
  const daikon = rig.daikon()
  const perStream = quick ? 500 : 2000
  const single = await answer(rig, daikon, await askAround(place, 1, perStream))
  const unary = [writeChecks(rig, 'stream-unary', single).daikon]
  const questions = await askAround(place, perStream, streams)
  const files: string[] = []
  for (const [at, question] of questions.entries()) {
    const answered = await answer(rig, daikon, parts(question))
    files.push(writeStream(rig, `stream-${at}`, answered))
  }

  let most = 0
  for (const inFlight of [64, 256]) {
    const taken = await interleave(rounds, {
      unary: () => measure(daikon, { kind: 'unary', inFlight, files: unary }),
      stream: () => measure(daikon, { kind: 'stream', inFlight, files }),
    })
    most = Math.max(
      most,
      medianOf(taken, ({ stream }) => stream.rate),
    )
    tell({
      what: `CheckStream, ${inFlight} in flight, beside unary`,
      daikon: load(middleOf(taken, ({ stream }) => stream)),
      beside: load(middleOf(taken, ({ unary }) => unary)),
      value: medianOf(taken, ({ stream, unary }) => stream.rate / unary.rate),
      goal: { least: 2 },
    })
  }
  const pace = most * share
  const paced = await interleave(rounds, {
    stream: () => measure(daikon, { kind: 'stream', inFlight: 0, pace, files }),
  })
  const p99 = medianOf(paced, ({ stream }) => stream.p99)
  tell({
    what: `CheckStream, open loop at ${share * 100} % of its most: p99`,
    daikon: load(middleOf(paced, ({ stream }) => stream)),
    beside: '',
    value: p99,
    unit: ' ms',
    goal: { most: 5 },
  })
}

/** The question in as many as Check takes at once. */
function parts({ checks, must, ...who }: Question): Question[] {
  const most = 1000
  return Array.from({ length: Math.ceil(checks.length / most) }, (_, at) => {
    const range = [at * most, (at + 1) * most]
    return { ...who, checks: checks.slice(...range), must: must.slice(...range) }
  })
}
