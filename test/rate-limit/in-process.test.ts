import test from 'ava'
import { createInProcessRateLimiter } from '../../src/rate-limit/in-process.ts'
import { waitUntil } from '../support/wait-until.ts'
import { testRateLimiter } from './rate-limiter-contract.ts'

testRateLimiter('in process', (now) => createInProcessRateLimiter({ now }))

test('in process: the default clock advances', async (t) => {
  const rateLimiter = createInProcessRateLimiter()
  const window = { name: 'all', limit: 1, period: 1 }
  t.true((await rateLimiter.take('a', [window])).allowed)
  t.false((await rateLimiter.take('a', [window])).allowed)
  await waitUntil(async () => (await rateLimiter.take('a', [window])).allowed)
})

test('in process: expired clients are removed from memory', async (t) => {
  let time = 0
  const rateLimiter = createInProcessRateLimiter({ now: () => time })
  const window = { name: 'all', limit: 2, period: 60 }
  for (let i = 0; i < 10_000; i++) {
    time += 60
    await rateLimiter.take(`client-${i}`, [window])
  }
  t.true(
    rateLimiter.size <= 2_001,
    `${rateLimiter.size} clients in memory, 1,000 of them per period`,
  )
  time += 120_000
  await rateLimiter.take('last', [window])
  t.is(rateLimiter.size, 1)
})

test('in process: rejected requests use no memory', async (t) => {
  const rateLimiter = createInProcessRateLimiter({ now: () => 0 })
  const none = { name: 'none', limit: 0, period: 60 }
  const result = await rateLimiter.take('a', [none, { name: 'all', limit: 2, period: 60 }])
  t.deepEqual([result.allowed, result.name, result.retryAfter], [false, 'none', 60])
  t.is(rateLimiter.size, 0)
})
