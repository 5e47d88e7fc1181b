import test from 'ava'
import { fuzz } from '../support/fuzz.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

test('2,000 malformed requests to every method cause no server errors', async (t) => {
  const each = Math.ceil(1000 / environment.app.operations.length)
  const outcomes = await fuzz(environment, each, 20_261_121)
  t.log(outcomes)
  const total = Object.values(outcomes).reduce((sum, count) => sum + count, 0)
  t.true(total >= 2000)
  // Ensures that enough requests pass validation and reach the handlers.
  const succeeded = (outcomes['gRPC 0'] ?? 0) + (outcomes['REST 200'] ?? 0)
  t.true(succeeded > total / 20, `${succeeded} of ${total}`)
  t.deepEqual(environment.failures, [])
})
