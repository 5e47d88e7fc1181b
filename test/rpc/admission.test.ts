import test from 'ava'
import fc from 'fast-check'
import type { CredentialKind } from '../../src/core/credential-kind.ts'
import { createServiceKeyKind } from '../../src/identity/credentials/service-key.ts'
import { createUserKind } from '../../src/identity/credentials/user.ts'
import type { TokenMemory } from '../../src/identity/token-memory.ts'
import {
  type AdmissionKeys,
  type AdmissionOptions,
  createAdmission,
  type Release,
} from '../../src/rpc/admission.ts'
import { admit, admitMessage, countAdmitted, createAdmissions } from '../../src/rpc/admit.ts'
import type { Call } from '../../src/rpc/call.ts'
import type { Policy } from '../../src/rpc/method.ts'

const never = new AbortController().signal
const unused = async () => {
  throw new Error('no token is verified')
}
const userKind = createUserKind(
  {} as TokenMemory,
  unused,
  async () => undefined,
  [],
) as CredentialKind
const serviceKind = createServiceKeyKind({
  keysRequired: true,
  onServiceKeyUsed: () => {},
  onServiceKeyRejected: () => {},
}) as CredentialKind

const keysOf = (workspace: string, user = workspace, max = 2): AdmissionKeys => ({
  tenants: [`workspace ${workspace}`, `user ${user}`],
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

/** Lets `count` calls wait behind a running one, and returns the order in which they end. */
function createQueue(options: Partial<AdmissionOptions> = {}) {
  const admission = createAdmission({
    capacity: 1,
    maxQueuedPerTenant: 99,
    maxQueued: 999,
    ...options,
  })
  const release = admission.enter(keysOf('first'), never) as Release
  const order: string[] = []
  const calls: Promise<void>[] = []
  return {
    admission,
    order,
    enter(workspace: string, user: string, name: string) {
      const entered = admission.enter(keysOf(workspace, user), never) as Promise<Release>
      const call = entered.then(
        (release) => {
          order.push(name)
          setImmediate(release)
        },
        () => void order.push(`${name} refused`),
      )
      calls.push(call)
    },
    async run() {
      release()
      await Promise.all(calls)
      return order
    },
  }
}

test('a person with many workspaces gets one turn for all of them', async (t) => {
  const { enter, run } = createQueue()
  for (let index = 0; index < 9; index += 1) enter(`w${index}`, 'many', `many ${index}`)
  for (const name of ['a', 'b']) for (const turn of [1, 2]) enter(name, name, `${name}${turn}`)
  const order = await run()
  t.deepEqual(order.slice(0, 6), ['many 0', 'a1', 'b1', 'many 1', 'a2', 'b2'])
})

test('a workspace with many people gets one turn for all of them', async (t) => {
  const { enter, run } = createQueue()
  for (let index = 0; index < 9; index += 1) enter('many', `u${index}`, `many ${index}`)
  for (const turn of [1, 2]) enter('a', 'a', `a${turn}`)
  const order = await run()
  t.deepEqual(order.slice(0, 4), ['many 0', 'a1', 'many 1', 'a2'])
})

test('the calls of a person in a busy workspace do not delay their calls elsewhere', async (t) => {
  const { enter, run } = createQueue()
  for (let index = 0; index < 9; index += 1) enter('busy', `u${index}`, `busy ${index}`)
  enter('busy', 'ann', 'ann in busy')
  enter('own', 'ann', 'ann in own')
  t.true((await run()).indexOf('ann in own') <= 2)
})

test('a person has at most as many waiting calls in all workspaces as a tenant may have', (t) => {
  const { admission, enter } = createQueue({ maxQueuedPerTenant: 3 })
  for (const workspace of ['a', 'b', 'c']) enter(workspace, 'ann', workspace)
  t.throws(() => admission.enter(keysOf('d', 'ann'), never), { message: /concurrent/ })
  enter('d', 'bob', 'bob')
  t.is(admission.counts().queued, 4)
})

test('when the queue is full, the newest call of the longest line gives way', async (t) => {
  const { admission, enter, order, run } = createQueue({ maxQueued: 6 })
  for (let index = 0; index < 4; index += 1) enter(`w${index}`, 'many', `many ${index}`)
  enter('a', 'a', 'a1')
  enter('b', 'b', 'b1')
  enter('c', 'c', 'c1')
  await settle()
  t.deepEqual(order, ['many 3 refused'])
  enter('a', 'a', 'a2')
  await settle()
  t.deepEqual(order, ['many 3 refused', 'many 2 refused'])
  t.throws(() => admission.enter(keysOf('w9', 'many'), never), { message: /concurrent/ })
  t.throws(() => admission.enter(keysOf('a', 'a'), never), { message: /concurrent/ })
  t.is(admission.counts().queued, 6)
  t.deepEqual((await run()).slice(2), ['many 0', 'a1', 'b1', 'c1', 'many 1', 'a2'])
})

test('a cancelled call leaves the queue', async (t) => {
  const admission = createAdmission({ capacity: 1, maxQueuedPerTenant: 9, maxQueued: 99 })
  const release = admission.enter(keysOf('a'), never) as Release
  const controller = new AbortController()
  const cancelled = admission.enter(keysOf('b'), controller.signal) as Promise<Release>
  controller.abort()
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

test('large messages are decoded in turn, a few per workspace and person at a time', async (t) => {
  const admissions = createAdmissions()
  const call = { scope: { signal: never }, ip: '127.0.0.1', readInTurn: () => ({}) } as Call
  const admit = (wid: string, more: Partial<Call> = {}, sub = `user of ${wid}`) => {
    const claims = { sub, jti: 'token', exp: 0, email: '', wid }
    return admitMessage({ ...call, ...more }, { kinds: [userKind], claims: [claims] }, admissions)
  }
  const counts = () => new Map(countAdmitted(admissions)).get('large_message')
  const admitted = Array.from({ length: 4 }, () => admit('a') as Release)
  const fifth = admit('a')
  t.true(fifth instanceof Promise)
  t.false(admit('b') instanceof Promise)
  t.deepEqual(counts(), { running: 5, queued: 1 })

  // A person counts once for all of their workspaces.
  t.true(admit('c', {}, 'user of a') instanceof Promise)
  t.deepEqual(counts(), { running: 5, queued: 2 })

  // A small message does not wait.
  t.false(admit('a', { readInTurn: undefined as never }) instanceof Promise)
  t.deepEqual(counts(), { running: 5, queued: 2 })

  admitted[0]?.()
  const release = await fifth
  release()
  t.deepEqual(counts(), { running: 5, queued: 0 })
})

test('a service may have one call with a large message in progress beside its small ones', async (t) => {
  const admissions = createAdmissions()
  const running = () => admissions.default.counts().running
  const enter = (name: string, hasLargeBody: boolean) => {
    const call = { hasLargeBody, ip: '10.0.0.1', scope: { signal: never } } as Call
    const credentials = { kinds: [serviceKind], claims: ['hash'] }
    const policy = { capacity: 'default' } as Policy
    return admit(policy, call, credentials, { service: { name } }, admissions)
  }
  const first = enter('billing', true) as Release
  const second = enter('billing', true)
  t.is(running(), 1)
  enter('billing', false)
  enter('mail', true)
  t.is(running(), 3)

  first()
  ;(await second)()
  t.is(running(), 2)
})
