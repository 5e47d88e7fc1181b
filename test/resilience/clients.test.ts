import test, { type ExecutionContext } from 'ava'
import { createFaultEnvironment } from '../../bench/faults/fault-environment.ts'
import { acceptableOutcomes, type FaultResult, formatRow } from '../../bench/faults/fault-result.ts'
import { measureIdle, measureSlowClients } from '../../bench/faults/idle.ts'
import { measureKills } from '../../bench/faults/kills.ts'
import { measureLargeMessages } from '../../bench/faults/large-messages.ts'
import { measurePipelined } from '../../bench/faults/pipelined.ts'
import { cloneDatabase } from '../support/database.ts'

const database = await cloneDatabase()
const environment = await createFaultEnvironment(database.url)
test.after.always(async () => {
  await environment.close()
  await database.drop()
})

function withoutLoss(t: ExecutionContext, measure: FaultResult, labels: string[]) {
  t.log(formatRow(measure))
  t.deepEqual(measure.problems, [])
  t.deepEqual(
    Object.keys(measure.outcomes).filter((label) => !labels.includes(label)),
    [],
  )
  t.true(Object.values(measure.outcomes).some((calls) => calls > 0))
}

test.serial(
  'kill -9 at any moment loses nothing acknowledged and leaves no half change',
  async (t) => {
    withoutLoss(t, await measureKills(environment, 4), acceptableOutcomes)
  },
)

test.serial('250 idle connections at each transport disturb nobody', async (t) => {
  withoutLoss(t, await measureIdle(environment, 250), ['ok'])
})

test.serial('a client that sends its head byte by byte is cut off after ten seconds', async (t) => {
  withoutLoss(t, await measureSlowClients(environment, 20, 16), ['ok'])
})

test.serial('messages too large, packed or not, are refused at no cost', async (t) => {
  withoutLoss(t, await measureLargeMessages(environment, 2), ['gRPC 8'])
})

test.serial('1,000 pipelined requests are 1,000 answers', async (t) => {
  withoutLoss(t, await measurePipelined(environment, 1000), ['200'])
})
