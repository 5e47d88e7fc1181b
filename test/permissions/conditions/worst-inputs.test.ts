import test from 'ava'
import { measureLeastCosts } from '../../../bench/abuse/condition-costs.ts'

/**
 * `npm run abuse` allows 20 ms of processor time. Beside other tests, which share the caches and cores,
 * the same work takes up to three times as long.
 */
const maxMilliseconds = 60

test('no input of a condition holds the event loop for long', (t) => {
  const costs = measureLeastCosts()
  t.true(costs.length > 300)
  t.deepEqual(
    costs.filter(({ milliseconds }) => milliseconds > maxMilliseconds),
    [],
  )
})
