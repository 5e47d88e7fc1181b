import { AsyncLocalStorage } from 'node:async_hooks'
import test from 'ava'
import { mapInTurns, nextTurn } from '../../src/core/turns.ts'

/** Holds the event loop for about a millisecond. */
function work() {
  const end = performance.now() + 1
  while (performance.now() < end) {}
}

test('the event loop turns while items are mapped, and their results are in order', async (t) => {
  let turns = 0
  let isDone = false
  const counting = (async () => {
    for (; !isDone; turns += 1) await nextTurn()
  })()
  const results = await mapInTurns([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], (item, index) => {
    work()
    return item * index
  })
  isDone = true
  await counting
  t.deepEqual(results, [0, 2, 6, 12, 20, 30, 42, 56, 72, 90, 110, 132])
  t.true(turns > 2)
})

test('items are mapped in the request that they belong to', async (t) => {
  const request = new AsyncLocalStorage<string>()
  const map = (name: string) =>
    request.run(name, () =>
      mapInTurns([1, 2, 3, 4, 5, 6], () => {
        work()
        return request.getStore()
      }),
    )
  const results = await Promise.all([map('one'), map('two'), map('three')])
  t.deepEqual(results, [Array(6).fill('one'), Array(6).fill('two'), Array(6).fill('three')])
})

test('an error of one item ends the others', async (t) => {
  const error = new Error('refused')
  const mapped = mapInTurns([1, 2, 3, 4, 5, 6], (item) => {
    work()
    if (item === 5) throw error
  })
  t.is(await t.throwsAsync(mapped), error)
})
