import test from 'ava'
import { measureLeastCosts } from '../../../bench/abuse/condition-costs.ts'

/** 20 ms of processor time, and as much again for a machine that is busy with other tests. */
const maxMilliseconds = 40

test('no input of a condition holds the event loop for long', (t) => {
  const costs = measureLeastCosts()
  t.true(costs.length > 300)
  t.deepEqual(
    costs.filter(({ milliseconds }) => milliseconds > maxMilliseconds),
    [],
  )
})
