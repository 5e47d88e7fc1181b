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

/** On a busy machine, the database may respond too late for some calls. */
function assertUnaffected(t: ExecutionContext, result: FaultResult) {
  assertNoProblems(t, result, ['ok', 'unavailable'])
  t.true((result.outcomes.ok ?? 0) > (result.outcomes.unavailable ?? 0))
}

function assertNoProblems(t: ExecutionContext, result: FaultResult, labels: string[]) {
  t.log(formatRow(result))
  t.deepEqual(result.problems, [])
  t.deepEqual(
    Object.keys(result.outcomes).filter((label) => !labels.includes(label)),
    [],
  )
  t.true(Object.values(result.outcomes).some((calls) => calls > 0))
}

test.serial(
  'SIGKILL at a random moment loses no acknowledged write and leaves no partial change',
  async (t) => {
    assertNoProblems(t, await measureKills(environment, 4), acceptableOutcomes)
  },
)

test.serial('250 idle connections per transport do not affect other clients', async (t) => {
  assertUnaffected(t, await measureIdle(environment, 250))
})

test.serial(
  'a client that sends headers byte by byte is disconnected after ten seconds',
  async (t) => {
    assertUnaffected(t, await measureSlowClients(environment, 20, 60))
  },
)

test.serial('oversized messages, compressed or not, are rejected', async (t) => {
  assertNoProblems(t, await measureLargeMessages(environment, 2), ['gRPC 8', 'gRPC 12'])
})

test.serial('1,000 pipelined requests receive 1,000 responses', async (t) => {
  assertNoProblems(t, await measurePipelined(environment, 1000), ['200'])
})
