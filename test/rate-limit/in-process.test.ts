import test from 'ava'
import { createInProcessRateLimiter } from '../../src/rate-limit/in-process.ts'
import { testRateLimiter } from './rate-limiter-contract.ts'

testRateLimiter('in process', (now) => createInProcessRateLimiter({ now }))

test('its own clock runs', async (t) => {
  const windows = createInProcessRateLimiter()
  const window = { name: 'all', limit: 1, period: 0.05 }
  t.true((await windows.take('a', [window])).allowed)
  t.false((await windows.take('a', [window])).allowed)
  await new Promise((resolve) => setTimeout(resolve, 60))
  t.true((await windows.take('a', [window])).allowed)
})

test('clients that come no more are forgotten', async (t) => {
  let time = 0
  const windows = createInProcessRateLimiter({ now: () => time })
  const window = { name: 'all', limit: 2, period: 60 }
  for (let i = 0; i < 10_000; i++) {
    time += 60
    await windows.take(`client-${i}`, [window])
  }
  t.true(windows.size <= 2_001, `${windows.size} clients of 1,000 in a period`)
  time += 120_000
  await windows.take('last', [window])
  t.is(windows.size, 1)
})

test('refused clients and windows take no memory', async (t) => {
  const windows = createInProcessRateLimiter({ now: () => 0 })
  const none = { name: 'none', limit: 0, period: 60 }
  const verdict = await windows.take('a', [none, { name: 'all', limit: 2, period: 60 }])
  t.deepEqual([verdict.allowed, verdict.name, verdict.retryAfter], [false, 'none', 60])
  t.is(windows.size, 0)
})
