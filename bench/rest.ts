import { askAround } from './questions.ts'
import { answer, writePosts } from './requests.ts'
import type { Rig } from './rig.ts'
import { interleave, medianOf, middleOf } from './rounds.ts'
import { load, type Row } from './table.ts'

/** `POST /permissions/check` of one item beside an Express app that sends back the same JSON. */
export async function measureRest(rig: Rig, tell: (row: Row) => void): Promise<void> {
  const { place, quick, rounds, measure } = rig
  const [daikon, echo] = [rig.daikon(), rig.child('echo-server.ts')]
  const questions = await askAround(place, 1, quick ? 100 : 2000)
  const files = writePosts(rig, 'rest', await answer(rig, daikon, questions))
  for (const inFlight of [8, 64]) {
    const job = { kind: 'http1', inFlight } as const
    const taken = await interleave(rounds, {
      daikon: () => measure(daikon, { ...job, files: [files.daikon] }),
      echo: () => measure(echo, { ...job, files: [files.echo] }),
    })
    tell({
      what: `POST /permissions/check, ${inFlight} in flight, beside an Express echo`,
      daikon: load(middleOf(taken, ({ daikon }) => daikon)),
      beside: load(middleOf(taken, ({ echo }) => echo)),
      value: medianOf(taken, ({ daikon, echo }) => daikon.rate / echo.rate),
      goal: { least: 0.6 },
    })
  }
}
