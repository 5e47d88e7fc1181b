import test from 'ava'
import { createDocumentCache } from '../../src/client-metadata/document-cache.ts'
import type { FetchWindows } from '../../src/client-metadata/windows.ts'

const open: FetchWindows = {
  takeForPerson: async () => undefined,
  takeForClient: async () => undefined,
}
const asks = (url: string, isKnown = false) =>
  [url, { fetch: { userId: 'ann', clientUrl: url, hostname: 'a.example' }, isKnown }] as const

/** Creates a cache that counts what it loads. */
function createCache(windows: FetchWindows = open) {
  const loads: string[] = []
  const clock = { now: new Date(0) }
  const state = { isBroken: false }
  const find = createDocumentCache(
    windows,
    () => clock.now,
    async (url) => {
      loads.push(url)
      await Promise.resolve()
      if (state.isBroken) throw new Error(`broken ${url}`)
      return { value: `${url} ${loads.length}`, seconds: 300 }
    },
  )
  return { find, loads, clock, state }
}

test('requests share a fetch, even if each waits for its own window', async (t) => {
  const { find, loads } = createCache()
  const found = await Promise.all(Array.from({ length: 5 }, () => find(...asks('a'))))
  t.deepEqual(loads, ['a'])
  t.true(found.every((one) => 'value' in one && one.value === 'a 1'))
})

test('a failure is thrown to everyone who waits, and is not kept', async (t) => {
  const { find, loads, state } = createCache()
  state.isBroken = true
  const results = await Promise.allSettled([find(...asks('a')), find(...asks('a'))])
  t.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  state.isBroken = false
  t.like(await find(...asks('a')), { value: 'a 2' })
  t.deepEqual(loads, ['a', 'a'])
})

test('documents of clients without consent never push out the others', async (t) => {
  const { find, loads } = createCache()
  await find(...asks('known', true))
  await find(...asks('unknown'))
  for (let index = 0; index < 1000; index += 1) await find(...asks(`other ${index}`))
  const before = loads.length
  await find(...asks('known'))
  t.is(loads.length, before)
  await find(...asks('unknown'))
  t.is(loads.length, before + 1)
})

test('a full window is answered by the last document of a known client alone', async (t) => {
  const full: Partial<FetchWindows>[] = [
    { takeForPerson: async () => 7 },
    { takeForClient: async () => 7 },
  ]
  for (const closed of full) {
    const windows = { ...open }
    const { find, clock } = createCache(windows)
    await find(...asks('a', true))
    Object.assign(windows, closed)
    t.like(await find(...asks('a')), { value: 'a 1' })
    clock.now = new Date(300_000)
    t.like(await find(...asks('a', true)), { value: 'a 1' })
    t.deepEqual(await find(...asks('a')), { retryAfter: 7 })
    t.deepEqual(await find(...asks('b', true)), { retryAfter: 7 })
  }
})
