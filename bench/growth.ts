import { crowdOf } from './crowd.ts'
import { askAround, askInCrowd, type Question } from './questions.ts'
import { answer, writeChecks } from './requests.ts'
import type { Rig } from './rig.ts'
import { interleave, medianOf, middleOf } from './rounds.ts'
import { load, number, type Row } from './table.ts'

const inFlight = 64

/** Check where there is much of something beside Check where there is little. */
export async function measureGrowth(rig: Rig, tell: (row: Row) => void): Promise<void> {
  const { place, quick } = rig
  const { members, groups, resources } = crowdOf(place.size)
  const count = quick ? 100 : 2000
  // Its own index spreads what is asked.
  const each = (question: (n: number) => Question) =>
    Array.from({ length: count }, (_, n) => question(n))
  const about = (resource: (n: number) => number) =>
    each((n) => askInCrowd(place.size, 2 + ((n * 7) % (members - 3)), resource(n)))
  const by = (member: number) =>
    each((n) => askInCrowd(place.size, member, 2 + (n % (resources - 2))))
  const here = rig.daikon()
  const rows = [
    {
      what: `${number(place.size.resources)} resources beside ${number(place.small.size.resources)}`,
      many: await prepare(rig, 'large', await askAround(place, 1, count)),
      few: await prepare(
        rig,
        'small',
        await askAround(place.small, 1, count),
        rig.daikon(place.small.url),
      ),
      goal: 0.9,
    },
    {
      what: `a user in ${number(groups)} groups beside one in 10`,
      many: await prepare(rig, 'many-groups', by(0)),
      few: await prepare(rig, 'few-groups', by(1)),
      goal: 0.7,
    },
    {
      what: `a resource with ${number(members)} shares beside one with 3`,
      many: await prepare(
        rig,
        'many-shares',
        about(() => 0),
      ),
      few: await prepare(
        rig,
        'few-shares',
        about(() => 2),
      ),
      goal: 0.7,
    },
    {
      what: `the same, ${number(groups)} of them with groups`,
      many: await prepare(
        rig,
        'many-group-shares',
        about(() => 1),
      ),
      few: await prepare(
        rig,
        'few-group-shares',
        about(() => 2),
      ),
      goal: 0.7,
    },
  ]
  for (const { what, many, few, goal } of rows) {
    const taken = await interleave(rig.rounds, { many, few })
    tell({
      what,
      daikon: load(middleOf(taken, ({ many }) => many)),
      beside: load(middleOf(taken, ({ few }) => few)),
      value: medianOf(taken, ({ many, few }) => many.rate / few.rate),
      goal: { least: goal },
    })
  }

  async function prepare(rig: Rig, name: string, questions: Question[], server = here) {
    const { daikon } = writeChecks(rig, name, await answer(rig, server, questions))
    return () => rig.measure(server, { kind: 'unary', inFlight, files: [daikon] })
  }
}
