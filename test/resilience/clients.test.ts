import test, { type ExecutionContext } from 'ava'
import { measureBombs } from '../../bench/faults/bombs.ts'
import { measureIdle, measureLoris } from '../../bench/faults/idle.ts'
import { measureKills } from '../../bench/faults/kills.ts'
import { honest, type Measure, row } from '../../bench/faults/measure.ts'
import { measurePipelined } from '../../bench/faults/pipelined.ts'
import { openSite } from '../../bench/faults/site.ts'
import { cloneDatabase } from '../support/database.ts'

const database = await cloneDatabase()
const site = await openSite(database.url)
test.after.always(async () => {
  await site.close()
  await database.drop()
})

function withoutLoss(t: ExecutionContext, measure: Measure, labels: string[]) {
  t.log(row(measure))
  t.deepEqual(measure.lost, [])
  t.deepEqual(
    Object.keys(measure.saw).filter((label) => !labels.includes(label)),
    [],
  )
  t.true(Object.values(measure.saw).some((calls) => calls > 0))
}

test.serial(
  'kill -9 at any moment loses nothing acknowledged and leaves no half change',
  async (t) => {
    withoutLoss(t, await measureKills(site, 4), honest)
  },
)

test.serial('250 idle connections at each transport disturb nobody', async (t) => {
  withoutLoss(t, await measureIdle(site, 250), ['ok'])
})

test.serial('a client that sends its head byte by byte is cut off after ten seconds', async (t) => {
  withoutLoss(t, await measureLoris(site, 20, 16), ['ok'])
})

test.serial('messages too large, packed or not, are refused at no cost', async (t) => {
  withoutLoss(t, await measureBombs(site, 2), ['gRPC 8'])
})

test.serial('1,000 pipelined requests are 1,000 answers', async (t) => {
  withoutLoss(t, await measurePipelined(site, 1000), ['200'])
})
