import test from 'ava'
import { createCachedLoader } from '../../../src/identity/providers/discovery.ts'

const hour = 3_600_000

test('concurrent callers share one load', async (t) => {
  let loads = 0
  const read = createCachedLoader(async () => ++loads)
  t.deepEqual(await Promise.all([read(), read(), read()]), [1, 1, 1])
  t.is(await read(), 1)
})

test('the previous result is returned while a reload runs or fails', async (t) => {
  let time = 0
  let load: () => Promise<string> = async () => 'old'
  const read = createCachedLoader(
    () => load(),
    () => time,
  )
  t.is(await read(), 'old')
  time = hour
  load = () => Promise.reject(new Error('down'))
  t.is(await read(), 'old')
  await turn()
  t.is(await read(), 'old')
  await turn()
  load = async () => 'new'
  t.is(await read(), 'old')
  await turn()
  t.is(await read(), 'new')
})

test('a failure is not cached', async (t) => {
  let down = true
  const read = createCachedLoader(async () => {
    if (down) throw new Error('down')
    return 'up'
  })
  await t.throwsAsync(read(), { message: 'down' })
  down = false
  t.is(await read(), 'up')
})

const turn = () => new Promise((resolve) => setImmediate(resolve))
