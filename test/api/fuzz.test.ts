import test from 'ava'
import { fuzz } from '../support/fuzz.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

test('2,000 wild requests of every method are answers or faults of the caller', async (t) => {
  const each = Math.ceil(1000 / environment.app.operations.length)
  const endings = await fuzz(environment, each, 20_261_121)
  t.log(endings)
  const total = Object.values(endings).reduce((sum, count) => sum + count, 0)
  t.true(total >= 2000)
  // Enough of them get through to the use cases.
  const answered = (endings['gRPC 0'] ?? 0) + (endings['REST 200'] ?? 0)
  t.true(answered > total / 20, `${answered} of ${total}`)
  t.deepEqual(environment.failures, [])
})
