import test from 'ava'
import { createCancellation } from '../../src/core/cancellation.ts'
import { type RequestScope, requestScope } from '../../src/core/request-scope.ts'
import { createBatcher } from '../../src/database/batching.ts'

/** A statement in the test's hands: what it was asked, and when it answers. */
type Sent = {
  questions: string[]
  scope: RequestScope
  answer(by?: (question: string) => string): void
  fail(error: Error): void
}

function createStatement(rowsOf?: (question: string) => number) {
  const sent: Sent[] = []
  const ask = createBatcher<string, string>(
    (questions) =>
      new Promise((resolve, reject) => {
        const answer = (by = (question: string) => `answer to ${question}`) =>
          resolve(questions.map(by))
        const scope = requestScope.getStore() as RequestScope
        sent.push({ questions, scope, answer, fail: reject })
      }),
    rowsOf,
  )
  return { sent, ask }
}

/** Lets everything that is due happen. */
async function turn() {
  for (let at = 0; at < 3; at += 1) await new Promise((resolve) => setImmediate(resolve))
}

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `question ${at}`)

test('questions of one turn share one statement, and each gets its own answer', async (t) => {
  const { sent, ask } = createStatement()
  const questions = numbered(64)
  const answers = Promise.all(questions.map((question) => ask(question)))
  await turn()
  t.deepEqual(
    sent.map(({ questions }) => questions),
    [questions],
  )
  sent[0]?.answer()
  t.deepEqual(
    await answers,
    questions.map((question) => `answer to ${question}`),
  )
})

test('a statement that began before a write never serves a request that began after it', async (t) => {
  const { sent, ask } = createStatement()
  let fact = 'allowed'
  const before = ask('x')
  await turn()
  const seen = fact
  fact = 'denied'
  // The write is acknowledged; the first statement is still under way.
  const after = ask('x')
  await turn()
  t.is(sent.length, 2)
  sent[0]?.answer(() => seen)
  t.is(await before, 'allowed')
  sent[1]?.answer(() => fact)
  t.is(await after, 'denied')
})

test('the same question asked again is asked again', async (t) => {
  const { sent, ask } = createStatement()
  for (const expected of ['one', 'two', 'three']) {
    const answer = ask('x')
    await turn()
    sent.at(-1)?.answer(() => expected)
    t.is(await answer, expected)
  }
  t.is(sent.length, 3)
})

test('two statements are under way at most; what arrives meanwhile is one batch', async (t) => {
  const { sent, ask } = createStatement()
  const answers: Promise<string>[] = []
  for (let at = 0; at < 10; at += 1) {
    answers.push(ask(`question ${at}`))
    await turn()
  }
  t.is(sent.length, 2)
  sent[0]?.answer()
  await turn()
  t.is(sent.length, 3)
  t.deepEqual(sent[2]?.questions, numbered(10).slice(2))
  sent[1]?.answer()
  sent[2]?.answer()
  t.deepEqual(
    await Promise.all(answers),
    numbered(10).map((question) => `answer to ${question}`),
  )
})

test('a batch has 1,000 rows at most, in the order of arrival', async (t) => {
  const { sent, ask } = createStatement(() => 4)
  const questions = numbered(600)
  const answers = Promise.all(questions.map((question) => ask(question)))
  for (let at = 0; at < 3; at += 1) {
    await turn()
    sent[at]?.answer()
  }
  t.deepEqual(
    sent.flatMap((statement) => statement.questions),
    questions,
  )
  t.deepEqual(
    sent.map((statement) => statement.questions.length),
    [250, 250, 100],
  )
  t.deepEqual(
    await answers,
    questions.map((question) => `answer to ${question}`),
  )
})

test('a question of more rows than a batch has goes by itself', async (t) => {
  const { sent, ask } = createStatement(Number)
  const answers = Promise.all(['1', '5000', '999'].map((question) => ask(question)))
  for (let at = 0; at < 3; at += 1) {
    await turn()
    sent[at]?.answer()
  }
  await answers
  t.deepEqual(
    sent.map((statement) => statement.questions),
    [['1'], ['5000'], ['999']],
  )
})

test('a statement that fails, fails its own questions alone, and the next ones are asked', async (t) => {
  const { sent, ask } = createStatement()
  const failing = Promise.allSettled([ask('a'), ask('b')])
  await turn()
  const fine = ask('c')
  await turn()
  const waiting = ask('d')
  sent[0]?.fail(new Error('gone'))
  t.deepEqual(
    (await failing).map((outcome) => outcome.status === 'rejected' && outcome.reason.message),
    ['gone', 'gone'],
  )
  sent[1]?.answer()
  t.is(await fine, 'answer to c')
  await turn()
  sent[2]?.answer()
  t.is(await waiting, 'answer to d')
})

test('a statement that throws before it is sent rejects, and hinders nobody after it', async (t) => {
  let broken = true
  const ask = createBatcher<string, string>((questions) => {
    if (broken) throw new Error('cannot be written')
    return Promise.resolve(questions)
  })
  for (let at = 0; at < 5; at += 1) await t.throwsAsync(ask('x'), { message: 'cannot be written' })
  broken = false
  t.is(await ask('x'), 'x')
})

test('who goes waits no longer; the statement runs on for the others and stops with the last', async (t) => {
  const { sent, ask } = createStatement()
  const [a, b, late] = [createCancellation(), createCancellation(), createCancellation()]
  const answers = [ask('a', a), ask('b', b)]
  await turn()
  a.abort()
  await t.throwsAsync(answers[0] as Promise<string>, { name: 'ServiceError', message: /cancelled/ })
  t.false(sent[0]?.scope.signal.aborted)
  b.abort()
  await t.throwsAsync(answers[1] as Promise<string>, { name: 'ServiceError' })
  t.true(sent[0]?.scope.signal.aborted)

  // Whoever goes before their statement is sent is not in it.
  const second = ask('second')
  const third = ask('third', late)
  late.abort()
  await t.throwsAsync(third, { name: 'ServiceError' })
  await t.throwsAsync(ask('too late', late), { name: 'ServiceError' })
  await turn()
  t.deepEqual(sent[1]?.questions, ['second'])
  sent[1]?.answer()
  t.is(await second, 'answer to second')
})
