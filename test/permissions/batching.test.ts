import test from 'ava'
import { type RequestScope, requestScope } from '../../src/core/request-scope.ts'
import { type BatcherOptions, createBatcher } from '../../src/database/batching.ts'
import type { StatementPool } from '../../src/database/statement-pool.ts'
import { createEngine } from '../../src/permissions/engine/engine.ts'

/** A statement whose result the test provides. */
type SentStatement = {
  queries: string[]
  scope: RequestScope
  respond(result?: (query: string) => string): void
  fail(error: Error): void
}

function createStatement(options: BatcherOptions<string> = {}) {
  const sent: SentStatement[] = []
  const run = createBatcher<string, string>(
    (queries) =>
      new Promise((resolve, reject) => {
        const respond = (result = (query: string) => `result of ${query}`) =>
          resolve(queries.map(result))
        const scope = requestScope.getStore() as RequestScope
        sent.push({ queries, scope, respond, fail: reject })
      }),
    options,
  )
  return { sent, run }
}

/** Waits until scheduled batches are sent. */
async function nextTurn() {
  for (let index = 0; index < 3; index += 1) await new Promise((resolve) => setImmediate(resolve))
}

const createQueries = (count: number) =>
  Array.from({ length: count }, (_, index) => `query ${index}`)

test('queries from one turn of the event loop share a statement, and each gets its own result', async (t) => {
  const { sent, run } = createStatement()
  const queries = createQueries(64)
  const results = Promise.all(queries.map((query) => run(query)))
  await nextTurn()
  t.deepEqual(
    sent.map(({ queries }) => queries),
    [queries],
  )
  sent[0]?.respond()
  t.deepEqual(
    await results,
    queries.map((query) => `result of ${query}`),
  )
})

test('the first queries of a burst are sent at once, and the others while they run', async (t) => {
  const { sent, run } = createStatement({ burst: 16 })
  const queries = createQueries(64)
  const results = Promise.all(queries.map((query) => run(query)))
  const batches = () => sent.map(({ queries }) => queries)
  t.deepEqual(batches(), [queries.slice(0, 16)])
  await nextTurn()
  t.deepEqual(batches(), [queries.slice(0, 16), queries.slice(16)])
  for (const statement of sent) statement.respond()
  t.deepEqual(
    await results,
    queries.map((query) => `result of ${query}`),
  )
  const later = run('later')
  t.is(sent.length, 2)
  await nextTurn()
  sent[2]?.respond()
  t.is(await later, 'result of later')
})

test('a query that starts after a write does not join a statement sent before it', async (t) => {
  const { sent, run } = createStatement()
  let fact = 'allowed'
  const before = run('x')
  await nextTurn()
  const seen = fact
  fact = 'denied'
  // The write is acknowledged while the first statement still runs.
  const after = run('x')
  await nextTurn()
  t.is(sent.length, 2)
  sent[0]?.respond(() => seen)
  t.is(await before, 'allowed')
  sent[1]?.respond(() => fact)
  t.is(await after, 'denied')
})

test('a repeated query is sent again', async (t) => {
  const { sent, run } = createStatement()
  for (const expected of ['one', 'two', 'three']) {
    const result = run('x')
    await nextTurn()
    sent.at(-1)?.respond(() => expected)
    t.is(await result, expected)
  }
  t.is(sent.length, 3)
})

test('at most two statements run concurrently, and queries that arrive during them form one batch', async (t) => {
  const { sent, run } = createStatement()
  const results: Promise<string>[] = []
  for (let index = 0; index < 10; index += 1) {
    results.push(run(`query ${index}`))
    await nextTurn()
  }
  t.is(sent.length, 2)
  sent[0]?.respond()
  await nextTurn()
  t.is(sent.length, 3)
  t.deepEqual(sent[2]?.queries, createQueries(10).slice(2))
  sent[1]?.respond()
  sent[2]?.respond()
  t.deepEqual(
    await Promise.all(results),
    createQueries(10).map((query) => `result of ${query}`),
  )
})

test('a batch has at most 1,000 rows, taken in order of arrival', async (t) => {
  const { sent, run } = createStatement({ countRows: () => 4 })
  const queries = createQueries(600)
  const results = Promise.all(queries.map((query) => run(query)))
  for (let index = 0; index < 3; index += 1) {
    await nextTurn()
    sent[index]?.respond()
  }
  t.deepEqual(
    sent.flatMap((statement) => statement.queries),
    queries,
  )
  t.deepEqual(
    sent.map((statement) => statement.queries.length),
    [250, 250, 100],
  )
  t.deepEqual(
    await results,
    queries.map((query) => `result of ${query}`),
  )
})

test('a query with more rows than the maximum of a batch is sent alone', async (t) => {
  const { sent, run } = createStatement({ countRows: Number })
  const results = Promise.all(['1', '5000', '999'].map((query) => run(query)))
  for (let index = 0; index < 3; index += 1) {
    await nextTurn()
    sent[index]?.respond()
  }
  await results
  t.deepEqual(
    sent.map((statement) => statement.queries),
    [['1'], ['5000'], ['999']],
  )
})

test('callers take turns if their queries do not fit into one statement', async (t) => {
  const callerOf = (query: string) => query.charAt(0)
  const { sent, run } = createStatement({ callerOf, maxBatchRows: 4, maxRunning: 1 })
  const results = Promise.all(
    ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b1', 'c1', 'b2'].map((query) => run(query)),
  )
  for (let index = 0; index < 3; index += 1) {
    await nextTurn()
    sent[index]?.respond()
  }
  await results
  t.deepEqual(
    sent.map(({ queries }) => queries),
    [['a1', 'b1', 'c1', 'a2'], ['b2', 'a3', 'a4', 'a5'], ['a6']],
  )
})

test('while small queries arrive, large ones run one statement at a time and do not delay them', async (t) => {
  const { sent, run } = createStatement({ countRows: Number })
  const large = Promise.all(['1000', '1000', '1000'].map((query) => run(query)))
  await nextTurn()
  t.is(sent.length, 1)
  for (let index = 1; index <= 3; index += 1) {
    const small = run('1')
    await nextTurn()
    t.deepEqual(sent[index]?.queries, ['1'])
    sent[index]?.respond()
    await small
  }
  sent[0]?.respond()
  await nextTurn()
  t.deepEqual(sent[4]?.queries, ['1000'])
  t.is(sent.length, 5)
  sent[4]?.respond()
  await nextTurn()
  sent[5]?.respond()
  await large
})

test('two statements of large queries run concurrently while no small queries arrive', async (t) => {
  const { sent, run } = createStatement({ countRows: Number })
  const large = Promise.all(Array.from({ length: 6 }, () => run('1000')))
  await nextTurn()
  t.is(sent.length, 1)
  sent[0]?.respond()
  await nextTurn()
  t.is(sent.length, 2)
  sent[1]?.respond()
  await nextTurn()
  t.is(sent.length, 4)

  const small = run('1')
  await nextTurn()
  t.deepEqual(sent[4]?.queries, ['1'])
  sent[4]?.respond()
  await small
  sent[2]?.respond()
  await nextTurn()
  t.is(sent.length, 5)

  sent[3]?.respond()
  await nextTurn()
  t.is(sent.length, 7)
  sent[5]?.respond()
  sent[6]?.respond()
  await large
})

test('two statements of large queries run concurrently although tiny queries arrive', async (t) => {
  const isTiny = (query: string) => query === '1'
  const { sent, run } = createStatement({ countRows: Number, isTiny })
  const all = Promise.all(['1000', '1000', '1000', '1000'].map((query) => run(query)))
  const tiny: Promise<string>[] = []
  for (let ended = 0; ended < 2; ended += 1) {
    await nextTurn()
    sent.at(-1)?.respond()
    tiny.push(run('1'))
    await nextTurn()
    const statement = sent.find(({ queries }) => queries[0] === '1')
    statement?.respond()
    sent.splice(0, sent.length, ...sent.filter((other) => other !== statement))
  }
  await Promise.all(tiny)
  // Two have ended, and two run.
  t.is(sent.length, 4)
  for (const statement of sent.slice(2)) statement.respond()
  await all
})

test('too many waiting queries of one caller are rejected without affecting other callers', async (t) => {
  const callerOf = (query: string) => query.charAt(0)
  const { sent, run } = createStatement({ callerOf })
  const waiting = Array.from({ length: 5000 }, () => run('a'))
  await t.throwsAsync(run('a'), { message: 'Too many concurrent requests; try again in 1 second' })
  const other = run('b')
  await nextTurn()
  t.true(sent[0]?.queries.includes('b'))
  for (let index = 0; index < 6; index += 1) {
    sent[index]?.respond()
    await nextTurn()
  }
  await Promise.all([...waiting, other])
})

test('a failed statement rejects only its own queries', async (t) => {
  const { sent, run } = createStatement()
  const failing = Promise.allSettled([run('a'), run('b')])
  await nextTurn()
  const succeeding = run('c')
  await nextTurn()
  const waiting = run('d')
  sent[0]?.fail(new Error('gone'))
  t.deepEqual(
    (await failing).map((outcome) => outcome.status === 'rejected' && outcome.reason.message),
    ['gone', 'gone'],
  )
  sent[1]?.respond()
  t.is(await succeeding, 'result of c')
  await nextTurn()
  sent[2]?.respond()
  t.is(await waiting, 'result of d')
})

test('an error before a statement is sent rejects its queries and does not block later ones', async (t) => {
  let isBroken = true
  const run = createBatcher<string, string>((queries) => {
    if (isBroken) throw new Error('cannot be written')
    return Promise.resolve(queries)
  })
  for (let index = 0; index < 5; index += 1)
    await t.throwsAsync(run('x'), { message: 'cannot be written' })
  isBroken = false
  t.is(await run('x'), 'x')
})

test('a cancelled caller stops waiting, and cancelling the last caller cancels the statement', async (t) => {
  const { sent, run } = createStatement()
  const [a, b, late] = [new AbortController(), new AbortController(), new AbortController()]
  const results = [run('a', a), run('b', b)]
  await nextTurn()
  a.abort()
  await t.throwsAsync(results[0] as Promise<string>, { name: 'ServiceError', message: /cancelled/ })
  t.false(sent[0]?.scope.signal.aborted)
  b.abort()
  await t.throwsAsync(results[1] as Promise<string>, { name: 'ServiceError' })
  t.true(sent[0]?.scope.signal.aborted)

  // A query that is cancelled before it is sent is not part of the statement.
  const second = run('second')
  const third = run('third', late)
  late.abort()
  await t.throwsAsync(third, { name: 'ServiceError' })
  await t.throwsAsync(run('too late', late), { name: 'ServiceError' })
  await nextTurn()
  t.deepEqual(sent[1]?.queries, ['second'])
  sent[1]?.respond()
  t.is(await second, 'result of second')
})

test('evaluations of different services take turns', async (t) => {
  const sent: { types: string; respond(): void }[] = []
  const statements = {
    rows: (_name: string, _sql: string, [, , , , , , types = '', subjects = '']: string[]) =>
      new Promise<unknown[][]>((resolve) => {
        const bits = subjects.replace(/[^{},]+/g, '0')
        sent.push({ types, respond: () => resolve([[true, [], '{0,0}', bits, null]]) })
      }),
  } as unknown as StatementPool
  const database = { reads: statements, statements, replicas: undefined }
  const { loadBits } = createEngine(database, { keysRequired: false })
  const evaluate = (keyHash: string) => {
    const source = { requestId: '', ip: undefined, keyHash }
    const { signal } = new AbortController()
    const subject = { userId: '' }
    const names = { serviceName: 'docs', resourceType: keyHash, resourceId: '', action: 'view' }
    const checks = Array.from({ length: 1000 }, () => ({ ...names, subject }))
    return requestScope.run({ signal, source }, () => loadBits(checks))
  }
  const results = ['a', 'a', 'a', 'b'].map(evaluate)
  for (let index = 0; index < 4; index += 1) {
    await nextTurn()
    sent[index]?.respond()
  }
  for (const bits of await Promise.all(results)) t.is(bits.length, 1000)
  t.deepEqual(
    sent.map(({ types }) => types),
    ['{"a"}', '{"b"}', '{"a"}', '{"a"}'],
  )
})
