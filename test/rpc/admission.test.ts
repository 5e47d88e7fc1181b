import test from 'ava'
import fc from 'fast-check'
import { createCancellation } from '../../src/core/cancellation.ts'
import { type AdmissionKeys, createAdmission, type Release } from '../../src/rpc/admission.ts'
import { admitMessage, countAdmitted, createAdmissions } from '../../src/rpc/admit.ts'
import type { Call } from '../../src/rpc/call.ts'

const never = createCancellation().signal

const keysOf = (workspace: string, user = workspace, max = 2): AdmissionKeys => ({
  tenant: workspace,
  limits: [
    { key: `workspace ${workspace}`, max },
    { key: `user ${user}`, max: 1 },
  ],
})

/** Lets resolved promises run their callbacks. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

test('a call is admitted without a promise when capacity is free', (t) => {
  const admission = createAdmission({ capacity: 1, maxQueuedPerTenant: 1, maxQueued: 1 })
  const release = admission.enter(keysOf('a'), never)
  t.false(release instanceof Promise)
  t.deepEqual(admission.counts(), { running: 1, queued: 0 })
})

test('tenants take turns, and calls of one tenant keep their order', async (t) => {
  const admission = createAdmission({ capacity: 1, maxQueuedPerTenant: 9, maxQueued: 99 })
  const first = admission.enter(keysOf('a'), never) as Release
  const order: string[] = []
  const enter = async (tenant: string, name: string) => {
    const release = await admission.enter(keysOf(tenant, name), never)
    order.push(name)
    setImmediate(release)
  }
  const calls = [
    enter('a', 'a1'),
    enter('a', 'a2'),
    enter('a', 'a3'),
    enter('b', 'b1'),
    enter('b', 'b2'),
  ]
  first()
  await Promise.all(calls)
  t.deepEqual(order, ['a1', 'b1', 'a2', 'b2', 'a3'])
})

test('a tenant at its limit leaves the remaining capacity to others', async (t) => {
  const admission = createAdmission({ capacity: 3, maxQueuedPerTenant: 9, maxQueued: 99 })
  for (const user of ['1', '2']) admission.enter(keysOf('a', user), never)
  const third = admission.enter(keysOf('a', '3'), never)
  t.true(third instanceof Promise)
  t.false(admission.enter(keysOf('b'), never) instanceof Promise)
})

test('a full queue returns resource_exhausted with a retry delay', (t) => {
  const admission = createAdmission({ capacity: 1, maxQueuedPerTenant: 1, maxQueued: 2 })
  admission.enter(keysOf('a'), never)
  admission.enter(keysOf('a'), never)
  const error = t.throws(() => admission.enter(keysOf('a'), never))
  t.like(error, { code: 'resource_exhausted', retryAfter: 1 })
  t.notThrows(() => admission.enter(keysOf('b'), never))
  t.throws(() => admission.enter(keysOf('c'), never), { message: /concurrent/ })
})

test('a cancelled call leaves the queue', async (t) => {
  const admission = createAdmission({ capacity: 1, maxQueuedPerTenant: 9, maxQueued: 99 })
  const release = admission.enter(keysOf('a'), never) as Release
  const { signal, abort } = createCancellation()
  const cancelled = admission.enter(keysOf('b'), signal) as Promise<Release>
  abort()
  await t.throwsAsync(cancelled, { message: /cancelled/ })
  t.deepEqual(admission.counts(), { running: 1, queued: 0 })
  release()
  release()
  t.deepEqual(admission.counts(), { running: 0, queued: 0 })
})

test('no limit is ever exceeded, and every call is eventually admitted', async (t) => {
  const call = fc.record({ workspace: fc.nat(3), user: fc.nat(5) })
  await fc.assert(
    fc.asyncProperty(
      fc.array(call, { maxLength: 60 }),
      fc.integer({ min: 1, max: 5 }),
      async (calls, capacity) => {
        const admission = createAdmission({ capacity, maxQueuedPerTenant: 99, maxQueued: 999 })
        const running = new Map<string, number>()
        const count = (key: string, change: number) => {
          const now = (running.get(key) ?? 0) + change
          running.set(key, now)
          return now
        }
        await Promise.all(
          calls.map(async ({ workspace, user }) => {
            const keys = keysOf(`${workspace}`, `${user}`)
            const release = await admission.enter(keys, never)
            t.true(count('all', 1) <= capacity)
            for (const { key, max } of keys.limits) t.true(count(key, 1) <= max)
            await settle()
            count('all', -1)
            for (const { key } of keys.limits) count(key, -1)
            release()
          }),
        )
        t.deepEqual(admission.counts(), { running: 0, queued: 0 })
      },
    ),
    { numRuns: 50 },
  )
})

test('large messages are decoded in turn, a few per workspace at a time', async (t) => {
  const admissions = createAdmissions()
  const call = { scope: { signal: never }, ip: '127.0.0.1', readInTurn: () => ({}) } as Call
  const admit = (wid: string, more: Partial<Call> = {}) => {
    const user = { sub: 'user', jti: 'token', exp: 0, wid }
    return admitMessage({ ...call, ...more }, { user }, admissions)
  }
  const counts = () => new Map(countAdmitted(admissions)).get('large_message')
  const admitted = Array.from({ length: 4 }, () => admit('a') as Release)
  const fifth = admit('a')
  t.true(fifth instanceof Promise)
  t.false(admit('b') instanceof Promise)
  t.deepEqual(counts(), { running: 5, queued: 1 })

  // A small message does not wait.
  t.false(admit('a', { readInTurn: undefined as never }) instanceof Promise)
  t.deepEqual(counts(), { running: 5, queued: 1 })

  admitted[0]?.()
  const release = await fifth
  release()
  t.deepEqual(counts(), { running: 4, queued: 0 })
})
