import { once } from 'node:events'
import { createServer } from 'node:net'
import test from 'ava'
import {
  CancelledError,
  createDaikon,
  DeadlineExceededError,
  UnavailableError,
} from '../../clients/typescript/src/daikon.ts'
import { StubError, startStub } from './stub-server.ts'

const document = (id: number | string) => ({ type: 'document', id: String(id) })
/** Returns a token with the format of a JSON Web Token. */
const tokenOf = (signature: number | string) => `e30.e30.${signature}`
const isEven = (id: string | undefined) => Number(id) % 2 === 0

test('checks of one turn are sent in one batch, and each gets its own result', async (t) => {
  const { daikon, batches } = await startStub(t, ({ evaluations }) =>
    evaluations.map(({ resource }) => isEven(resource?.id)),
  )
  const results = await Promise.all(
    Array.from({ length: 500 }, (_, n) =>
      daikon.check({ token: tokenOf(n % 7) }, 'view', document(n)),
    ),
  )
  t.deepEqual(
    results,
    Array.from({ length: 500 }, (_, n) => n % 2 === 0),
  )
  t.is(batches.length, 1)
  const [first] = batches[0]?.evaluations ?? []
  t.like(first?.subject, { type: 'access_token', id: tokenOf(0) })
  t.like(first?.resource, { type: 'docs:document', id: '0' })
})

test('only identical checks are deduplicated', async (t) => {
  const { daikon, batches } = await startStub(t, ({ evaluations }) => evaluations.map(() => true))
  const check = (
    subject: { userId: string } | { token: string },
    action: string,
    id: string,
    context?: Record<string, unknown>,
  ) => daikon.check(subject, action, document(id), { context })
  await Promise.all([
    check({ userId: 'u' }, 'view', '1'),
    check({ userId: 'u' }, 'view', '1'),
    check({ token: 'u' }, 'view', '1'),
    check({ userId: 'v' }, 'view', '1'),
    check({ userId: 'u' }, 'edit', '1'),
    check({ userId: 'u' }, 'view', '2'),
    check({ userId: 'u' }, 'view', '2', { amount: 1 }),
    check({ userId: 'u' }, 'view', '2', { amount: 1 }),
    check({ userId: 'u' }, 'view', '2', { amount: 2 }),
  ])
  t.is(batches.length, 1)
  t.is(batches[0]?.evaluations.length, 7)
})

test('many identical checks of one subject are sent once, also beside similar subjects', async (t) => {
  const similar = 'a'.repeat(32)
  const { daikon, batches } = await startStub(t, ({ evaluations }) =>
    evaluations.map(({ subject }) => subject?.id.endsWith(similar) === true),
  )
  const checksOf = (token: string) =>
    Array.from({ length: 200 }, (_, n) => daikon.check({ token }, 'view', document(n % 100)))
  const tokens = ['x', 'y'].map((first) => tokenOf(first + 'a'.repeat(80)))
  const results = await Promise.all([
    ...tokens.flatMap(checksOf),
    daikon.check({ userId: similar }, 'view', document(1)),
  ])
  t.true(results.every(Boolean))
  t.deepEqual(
    batches.map(({ evaluations }) => evaluations.map(({ subject }) => subject?.id)),
    [[...tokens.flatMap((token) => Array.from({ length: 100 }, () => token)), similar]],
  )
})

test('a token is not read if one of its checks was allowed', async (t) => {
  const { daikon } = await startStub(t, ({ evaluations }) =>
    evaluations.map(({ subject, resource }) => subject?.id === 'valid' && isEven(resource?.id)),
  )
  const check = (token: string, id: number) => daikon.check({ token }, 'view', document(id))
  const results = await Promise.allSettled([check('valid', 1), check('valid', 2), check('no', 2)])
  t.deepEqual(
    results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.reason)),
    [false, true, 'TOKEN_INVALID'],
  )
})

test('a check that starts after a batch was sent does not use the result of the batch', async (t) => {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let isAllowed = true
  const { daikon, batches } = await startStub(t, async ({ evaluations }) => {
    const decision = isAllowed
    if (batches.length === 1) await released
    return evaluations.map(() => decision)
  })
  const first = daikon.check({ userId: 'u' }, 'view', document(1))
  while (batches.length === 0) await new Promise((resolve) => setImmediate(resolve))
  isAllowed = false
  const second = daikon.check({ userId: 'u' }, 'view', document(1))
  t.false(await second)
  release()
  t.true(await first)
})

test('batches have at most 1,000 items, and large checks are split into several batches', async (t) => {
  const { daikon, batches } = await startStub(t, ({ evaluations }) =>
    evaluations.map(({ resource }) => isEven(resource?.id)),
  )
  const checks = Array.from({ length: 2500 }, (_, n) => ({
    subject: { userId: 'u' },
    action: 'view',
    resource: document(n),
  }))
  const results = await daikon.checkMany(checks)
  t.deepEqual(
    results,
    checks.map((_, n) => n % 2 === 0),
  )
  t.deepEqual(
    batches.map(({ evaluations }) => evaluations.length),
    [1000, 1000, 500],
  )
  batches.length = 0
  const token = tokenOf('x'.repeat(16_000))
  await daikon.checkMany(checks.slice(0, 500).map((check) => ({ ...check, subject: { token } })))
  t.true(batches.length > 1)
})

test('a batch has the checks of one subject in a row, and a subject with many delays no other', async (t) => {
  const { daikon, batches } = await startStub(t, ({ evaluations }) => evaluations.map(() => true), {
    maxInFlight: 1,
  })
  const check = (userId: string, n: number) => daikon.check({ userId }, 'view', document(n))
  const users = ['many', 'first', 'second']
  await Promise.all(
    Array.from({ length: 2000 }, (_, n) => [
      check('many', n),
      ...(n < 10 ? [check('first', n), check('second', n)] : []),
    ]).flat(),
  )
  const runs = batches.map(({ evaluations }) =>
    users.map((user) => evaluations.filter(({ subject }) => subject?.id === user).length),
  )
  t.deepEqual(runs, [
    [1000, 0, 0],
    [980, 10, 10],
    [20, 0, 0],
  ])
  const subjects = batches[1]?.evaluations.map(({ subject }) => subject?.id) ?? []
  const changes = subjects.filter((id, index) => id !== subjects[index - 1])
  t.deepEqual(changes, ['first', 'second', 'many'])
})

test('at most maxInFlight calls run concurrently, and all checks complete', async (t) => {
  let running = 0
  let maxRunning = 0
  const { daikon } = await startStub(
    t,
    async ({ evaluations }) => {
      running += 1
      maxRunning = Math.max(maxRunning, running)
      await new Promise((resolve) => setTimeout(resolve, 5))
      running -= 1
      return evaluations.map(({ resource }) => isEven(resource?.id))
    },
    { maxInFlight: 2 },
  )
  const results: Promise<boolean>[] = []
  for (let n = 0; n < 60; n += 1) {
    results.push(daikon.check({ userId: 'u' }, 'view', document(n)))
    await new Promise((resolve) => setImmediate(resolve))
  }
  t.deepEqual(
    await Promise.all(results),
    results.map((_, n) => n % 2 === 0),
  )
  t.is(maxRunning, 2)
})

test('checks that wait for another call to finish fail at their own deadline', async (t) => {
  const { daikon, batches } = await startStub(t, () => new Promise<boolean[]>(() => {}), {
    maxInFlight: 1,
  })
  const first = daikon.check({ userId: 'u' }, 'view', document(1), { deadlineMs: 20_000 })
  first.catch(() => {})
  while (batches.length === 0) await new Promise((resolve) => setImmediate(resolve))
  const waiting = daikon.check({ userId: 'u' }, 'view', document(2), { deadlineMs: 50 })
  const error = await t.throwsAsync(waiting, { instanceOf: DeadlineExceededError })
  t.regex(error?.message ?? '', /maxInFlight/)
  t.is(batches.length, 1)
})

test('calls are retried after UNAVAILABLE but not after other errors', async (t) => {
  const failures = [14, 14]
  const { daikon, batches } = await startStub(t, ({ evaluations }) => {
    const code = failures.shift()
    if (code !== undefined) throw new StubError(code)
    return evaluations.map(() => true)
  })
  t.true(await daikon.check({ userId: 'u' }, 'view', document(1)))
  t.is(batches.length, 3)
  failures.push(14, 14, 14)
  await t.throwsAsync(daikon.check({ userId: 'u' }, 'view', document(1)), {
    instanceOf: UnavailableError,
  })
  t.is(batches.length, 6)
  failures.length = 0
  failures.push(13)
  await t.throwsAsync(daikon.check({ userId: 'u' }, 'view', document(1)), { code: 'internal' })
  t.is(batches.length, 7)
})

test('only idempotent changes are retried', async (t) => {
  const { daikon, registrations } = await startStub(t, () => [])
  await t.throwsAsync(daikon.transfer(document(1), 'u', { as: 'token' }), { code: 'unavailable' })
  t.is(registrations.length, 1)
  await t.throwsAsync(daikon.transfer(document(1), 'u'), { code: 'unavailable' })
  t.is(registrations.length, 4)
  await t.throwsAsync(daikon.revoke(document(1), { userId: 'u' }), { code: 'unavailable' })
  t.is(registrations.length, 7)
})

test('a signal cancels only its own checks, and many checks can share a signal', async (t) => {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const { daikon, batches } = await startStub(t, async ({ evaluations }) => {
    await released
    return evaluations.map(() => true)
  })
  const { signal, abort } = withAbort()
  const cancelled = Array.from({ length: 50 }, (_, n) =>
    daikon.check({ userId: 'u' }, 'view', document(n), { signal }),
  )
  const other = daikon.check({ userId: 'u' }, 'view', document(1))
  const settled = Promise.allSettled(cancelled)
  while (batches.length === 0) await new Promise((resolve) => setImmediate(resolve))
  abort()
  for (const result of await settled)
    t.true(result.status === 'rejected' && result.reason instanceof CancelledError)
  release()
  t.true(await other)
  await t.throwsAsync(daikon.check({ userId: 'u' }, 'view', document(1), { signal }), {
    instanceOf: CancelledError,
  })
  const timeout = AbortSignal.timeout(1)
  await once(timeout, 'abort')
  await t.throwsAsync(daikon.register(registration, { signal: timeout }), {
    instanceOf: DeadlineExceededError,
  })
})

test('close() cancels running calls and rejects later ones', async (t) => {
  const { daikon, batches } = await startStub(t, () => new Promise<boolean[]>(() => {}))
  const running = daikon.check({ userId: 'u' }, 'view', document(1))
  const runningFailed = t.throwsAsync(running, { instanceOf: CancelledError })
  while (batches.length === 0) await new Promise((resolve) => setImmediate(resolve))
  const waiting = daikon.check({ userId: 'u' }, 'view', document(2))
  const waitingFailed = t.throwsAsync(waiting, { instanceOf: CancelledError })
  daikon.close()
  await runningFailed
  await waitingFailed
  await t.throwsAsync(daikon.check({ userId: 'u' }, 'view', document(1)), {
    instanceOf: CancelledError,
  })
  await t.throwsAsync(daikon.register(registration), { instanceOf: CancelledError })
  daikon.close()
})

test('calls to a server that accepts connections but never responds fail at the deadline', async (t) => {
  // Connections close only if their data is read.
  const silent = createServer((socket) => socket.resume()).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as { port: number }
  const daikon = createDaikon({
    address: `127.0.0.1:${port}`,
    service: 'docs',
    serviceKey: 'dk_stub',
    deadlineMs: 200,
  })
  t.teardown(() => {
    daikon.close()
    silent.close()
  })
  await t.throwsAsync(daikon.check({ userId: 'u' }, 'view', document(1)), {
    instanceOf: DeadlineExceededError,
  })
  await t.throwsAsync(daikon.register(registration), { instanceOf: DeadlineExceededError })
})

const registration = { ...document(1), workspaceId: 'w', ownerId: 'u' }

function withAbort() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}
