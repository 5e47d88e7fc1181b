import test from 'ava'
import { measureDrains } from '../../bench/drains/measure-drains.ts'
import { createFaultEnvironment } from '../../bench/faults/fault-environment.ts'
import { cloneDatabase } from '../support/database.ts'
import { isNginxInstalled } from '../support/deployed-nginx.ts'

const database = await cloneDatabase()
test.after.always(() => database.drop())

const testWithNginx = isNginxInstalled ? test : test.skip

// `npm run drains` drains more often.
testWithNginx('two nodes behind nginx are replaced in turn without a failed call', async (t) => {
  const environment = await createFaultEnvironment(database.url)
  t.teardown(() => environment.close())
  const { failures, refusals, calls, log } = await measureDrains(environment, 4)
  t.deepEqual(failures, [], log)
  if (refusals.length > 0) t.log(refusals)
  t.log(`${calls.rest} calls over REST, ${calls.grpc} over gRPC`)
})
