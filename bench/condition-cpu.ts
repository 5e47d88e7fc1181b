import { compileCondition, evaluateCondition } from '../src/permissions/conditions/condition.ts'
import { fromDate, fromJson, type Json } from '../src/permissions/conditions/values.ts'
import { createCallWork } from '../src/permissions/conditions/work.ts'

/** CPU milliseconds to compile an expression, of its first evaluation, and of each after many. */
export type ExpressionCost = {
  title: string
  compiled: number
  first: number
  each: number
  /** The result or error of the evaluation. */
  outcome: string
}

const many = Array.from({ length: 2_000 }, (_, index) => index)
const words = many.map((index) => `word-${index}`)
const longText = 'a'.repeat(16_000)
const times = many.map((index) => new Date(index * 3_600_000).toISOString())
const addresses = many.map((index) => `10.0.${index % 250}.${index % 200}`)
const patterns = many.map((index) => `^(?:[a-z]{30}){3}${index}$`)

const contexts: Record<string, Json> = { many, words, longText, times, addresses, patterns }

/** Expressions that need as much time as an expression and its context can. */
const cases: [title: string, expression: string][] = [
  ['simple: a comparison', 'context.longText != "x"'],
  ['simple: owner and a time', 'resource.owner_id == subject.id && now.getHours() >= 8'],
  ['office hours in a time zone', 'now.getHours("Europe/Berlin") in [8, 9, 10, 11, 12, 13]'],
  ['worst: member of a list', '"x" in context.words'],
  ['worst: iterations', 'context.many.all(x, x >= 0.0)'],
  ['worst: long iterations', `context.many.all(x, ${'x>=0&&'.repeat(160)}true)`],
  ['worst: negations', `context.many.all(x, ${'!'.repeat(900)}true)`],
  ['worst: lists', `context.many.all(x, [${'x,'.repeat(480)}x] != [])`],
  ['worst: nested', 'context.many.all(x, context.many.exists(y, y + x > 4000.0))'],
  ['worst: failures', 'context.many.exists(x, x + 1 > 0)'],
  ['worst: failures of conversions', 'context.words.exists(x, int(x) > 0)'],
  ['worst: time zones', 'context.times.all(x, timestamp(x).getHours("Europe/Berlin") < 30)'],
  ['worst: unknown time zones', 'context.words.exists(x, now.getHours(x) == 1)'],
  ['worst: addresses', 'context.addresses.exists(x, in_cidr(x, "192.168.0.0/16"))'],
  ['worst: regular expressions', 'context.words.exists(x, x.matches("(x+x+)+y"))'],
  ['worst: compiled expressions', 'context.patterns.exists(x, "abc".matches(x))'],
  ['worst: one regular expression', 'context.longText.matches("(?:[a-z]{30}){3}!")'],
  ['worst: ambiguous expression', 'context.longText.matches("(.*)(.*)(.*)(.*)x")'],
  ['worst: classes', `context.longText.matches("${'[a-c]*'.repeat(8)}x")`],
  ['worst: building text', `${Array(7).fill('context.longText').join('+')} == ""`],
  ['worst: equal lists', 'context.words == context.words && context.words == context.words'],
  [
    'worst: adding lists',
    `context.many.exists(x, x in ${Array(9).fill('context.many').join('+')})`,
  ],
  ['worst: characters', 'size(context.longText) + size(context.longText) < 0'],
  ['worst: search', 'context.longText.contains("b" + context.longText)'],
]

const variables = {
  subject: fromJson({ id: 'a', external_id: '', type: 'user', email: 'a@b.c', role: 'viewer' }),
  resource: fromJson({ id: 'r', owner_id: 'a', attributes: {} }),
  action: 'view',
  context: fromJson(contexts),
  properties: fromJson({ subject: {}, resource: {}, action: {} }),
  now: fromDate(new Date('2026-01-05T12:00:00Z')),
}

/** `node bench/condition-cpu.ts` prints the cost of each expression. */
if (import.meta.main) {
  for (const { title, compiled, first, each, outcome } of measureExpressions()) {
    const columns = [compiled, first, each].map((milliseconds) => milliseconds.toFixed(3))
    console.log(title.padEnd(34), ...columns.map((text) => text.padStart(9)), ` ${outcome}`)
  }
}

/** Measures all expressions in this thread, each for half a second. */
export function* measureExpressions(): Generator<ExpressionCost> {
  for (const [title, expression] of cases) {
    const started = process.cpuUsage()
    const result = compileCondition(expression, new Map())
    const compiled = cpuSince(started)
    if ('problem' in result) throw new Error(`${expression}: ${result.problem.message}`)
    const evaluate = () =>
      evaluateCondition(result.condition, variables, new Map(), createCallWork())
    const beforeFirst = process.cpuUsage()
    const verdict = evaluate()
    const first = cpuSince(beforeFirst)
    // 200 ms of evaluations warm the code up before it is measured.
    repeatFor(200, evaluate)
    const each = repeatFor(300, evaluate)
    yield { title, compiled, first, each, outcome: verdict.error ?? String(verdict.result) }
  }
}

/** Returns the CPU milliseconds for each call. */
function repeatFor(milliseconds: number, run: () => unknown): number {
  const started = process.cpuUsage()
  let count = 0
  do {
    run()
    count++
  } while (cpuSince(started) < milliseconds)
  return cpuSince(started) / count
}

function cpuSince(started: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(started)
  return (user + system) / 1_000
}
