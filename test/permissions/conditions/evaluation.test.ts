import test from 'ava'
import type { Json } from '../../../src/permissions/conditions/values.ts'
import { createCallWork, maxCallSteps } from '../../../src/permissions/conditions/work.ts'
import { tryCondition } from './try-condition.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

/** Conditions that are true. */
const holding: [expression: string, context?: Json][] = [
  ["subject.id == resource.owner_id && action == 'view'"],
  ["subject['email'].endsWith('@example.com')"],
  ['context.amount <= 100', { amount: 100 }],
  ['context.amount <= 100.5', { amount: 100 }],
  ['context.amount + 1.0 == 101', { amount: 100 }],
  ["has(context.a) && context.a == null && 'a' in context", { a: null }],
  ['!has(context.a)'],
  ['!has(context.__proto__) && !has(context.constructor)'],
  ['context.__proto__ == 1', JSON.parse('{"__proto__": 1}')],
  ['!has(resource.attributes.blocked) || !(subject.id in resource.attributes.blocked)'],
  ['context.roles.exists(role, role in ["admin", "editor"])', { roles: ['guest', 'editor'] }],
  ['context.rows.all(row, row.all(cell, cell > 0))', { rows: [[1], [2, 3]] }],
  ['context.rows.all(x, x.all(x, x > 0))', { rows: [[1], [2, 3]] }],
  ['{"a": 1}.exists_one(key, key == "a")'],
  ['now.getHours() == 12 && now.getDayOfWeek() == 1 && now.getFullYear() == 2026'],
  ['now.getHours("Europe/Berlin") == 13 && now.getHours("-03:30") == 8'],
  ['now.getMinutes("Asia/Kathmandu") == 45 && now.getDayOfYear() == 4'],
  ['timestamp("2024-03-31T02:30:00Z").getHours() == 2'],
  ['timestamp("2024-03-31T00:59:59Z").getHours("Europe/Berlin") == 1'],
  ['timestamp("2024-03-31T01:00:00Z").getHours("Europe/Berlin") == 3'],
  ['now - timestamp("2026-01-05T11:00:00Z") < duration("2h")'],
  ['in_cidr(context.ip, "10.0.0.0/8")', { ip: '10.1.2.3' }],
  ['in_cidr(context.ip, "10.0.0.0/8")', { ip: '::ffff:10.1.2.3' }],
  ['in_cidr("2001:db8::1", "2001:db8::/32") && !in_cidr("10.0.0.1", "2001:db8::/32")'],
  ['subject.email.matches("^[a-z]+@example[.]com$")'],
  ['context.missing == 1 || true'],
  ['!(context.missing == 1 && false)'],
  ['[1, 2] + [3] == [1, 2, 3] && [[1], [2]] == [[1.0], [2.0]]'],
  ['context == {"a": {"b": [1.0, null]}}', { a: { b: [1, null] } }],
  ['type(now) != type(1) && type(context.a) == double', { a: 1 }],
]

for (const [expression, context = {}] of holding) {
  test(`${expression} is true for ${JSON.stringify(context)}`, (t) => {
    const { result, error, missing } = tryCondition(expression, { context })
    t.deepEqual({ result, error, missing }, { result: true, error: undefined, missing: [] })
  })
}

/** Conditions that fail, with a part of the error, and the paths that the request lacks. */
const failing: [expression: string, error: RegExp, missing: string[], context?: Json][] = [
  ['context.amount > 5', /context.amount is missing/, ['context.amount']],
  ['context["amount"] > 5', /context.amount is missing/, ['context.amount']],
  ['context["the amount"] > 5', /missing/, ['context["the amount"]']],
  ['context.b > 1 && context.a > 1', /missing/, ['context.a', 'context.b']],
  ['context.b + context.a > 1.0', /missing/, ['context.a', 'context.b']],
  ['context.a.b.c == 1', /context.a.b.c is missing/, ['context.a.b.c'], { a: {} }],
  ['has(context.a.b)', /missing/, ['context.a']],
  ['properties.subject.level > 1', /missing/, ['properties.subject.level']],
  ['context.a > 1 ? context.b > 1 : true', /missing/, ['context.b'], { a: 2 }],
  ['[1].all(x, context.a == x)', /missing/, ['context.a']],
  ['context.a == 1 || subject.id == "someone else"', /missing/, ['context.a']],
  ['resource.attributes.level > 1', /resource.attributes.level is missing/, []],
  ['context.a.b == 1', /only maps and lists/, [], { a: 1 }],
  ['context.amount + 1 > 2', /no matching overload/, [], { amount: 1 }],
  ['context.amount > 2', /no matching overload/, [], { amount: 'much' }],
  ['context.a', /not a bool/, [], { a: 'yes' }],
  ['context.a && true', /take bools/, [], { a: 'yes' }],
  ['context.list[1] == 1', /no element 1/, [], { list: [0] }],
  ['1 / 0 == 1', /divide by zero/, []],
  ['9223372036854775807 + 1 > 0', /overflow/, []],
  ['in_cidr("10.0.0", "10.0.0.0/8")', /not an IP address/, []],
  ['in_cidr("10.0.0.1", "10.0.0.0/33")', /range/, []],
  ['in_cidr("10.0.0.1", "10.0.0.0")', /range/, []],
  ['now.getHours("Mars/Olympus") == 1', /time zone/i, []],
  ['timestamp("2030-02-30T00:00:00Z") > now', /is not a time/, []],
  ['timestamp("2030-01-01T24:00:00Z") > now', /is not a time/, []],
  ['timestamp("tomorrow") > now', /is not a time/, []],
  ['"a".matches("(")', /regular expression is invalid/, []],
  ['"a".matches("(a{100}){100}")', /regular expression is too large/, []],
]

for (const [expression, error, missing, context = {}] of failing) {
  test(`${expression} fails for ${JSON.stringify(context)}`, (t) => {
    const verdict = tryCondition(expression, { context })
    t.false(verdict.result)
    t.regex(verdict.error ?? '', error)
    t.deepEqual(verdict.missing, missing)
  })
}

test('a path that does not decide is not missing', (t) => {
  const verdict = tryCondition('context.a == 1 && subject.id == "someone else"')
  t.deepEqual(verdict, { result: false, missing: [], steps: 1 })
})

/** The steps of a condition. */
const steps: [expression: string, context: Json, steps: number][] = [
  ["subject.id == 'x'", {}, 1],
  ['subject.id in context.people', { people: numbers(100).map(String) }, 100],
  ['subject.id in context.people', { people: [] }, 1],
  ['context.list == context.list', { list: numbers(50) }, 50],
  ['context.list.all(x, x >= 0)', { list: numbers(2_000) }, 2_000],
  ['context.text.startsWith("b")', { text: 'a'.repeat(640) }, 10],
  ['context.text == context.text', { text: 'a'.repeat(640) }, 10],
  ['(context.text + context.text).startsWith("b")', { text: 'a'.repeat(320) }, 30],
  ['context.text.matches("^a*$")', { text: 'a'.repeat(640) }, 10],
]

for (const [expression, context, expected] of steps) {
  test(`${expression} takes ${expected} steps`, (t) => {
    const verdict = tryCondition(expression, { context })
    t.is(verdict.error, undefined)
    t.is(verdict.steps, expected)
  })
}

const list = numbers(2_001)
const text = 'a'.repeat(16_000)
const words = numbers(500).map((number) => `word-${number}`)

/** Conditions that need more work than an evaluation may take. */
const tooCostly: [expression: string, context: Json][] = [
  ['context.list.all(x, x >= 0) || true', { list }],
  ['!(context.list.all(x, x >= 0))', { list }],
  ['5000 in context.list', { list }],
  ['context.list.all(x, context.list.all(y, x + y >= 0.0))', { list: numbers(50) }],
  [`context.list.all(x, ${'x>=0&&'.repeat(150)}true)`, { list }],
  ['context.list.exists(x, x + 1 > 0)', { list }],
  ['context.words.exists(zone, now.getHours(zone) == 1)', { words }],
  [`${Array(9).fill('context.text').join('+')} == ""`, { text }],
  ['context.text.contains("b" + context.text)', { text }],
  ['context.text.matches("(.*)(.*)(.*)(.*)b")', { text }],
  ['context.words.exists(x, "a".matches("^(?:[a-z]{30}){20}" + x))', { words }],
]

for (const [expression, context] of tooCostly) {
  test(`${expression.slice(0, 70)} is false because it needs too much work`, (t) => {
    const { result, error } = tryCondition(expression, { context })
    t.deepEqual({ result, error }, { result: false, error: 'the condition needs too much work' })
  })
}

test('ambiguous regular expressions take linear time', (t) => {
  t.false(
    tryCondition('context.text.matches("(a*)*b")', { context: { text: text.slice(1_000) } }).result,
  )
})

test('all conditions of a call share its work', (t) => {
  const work = createCallWork()
  const context = { list: numbers(2_000) }
  const evaluate = () => tryCondition('-1 in context.list', { context, work }).error
  for (let steps = 2_000; steps <= maxCallSteps; steps += 2_000) t.is(evaluate(), undefined)
  t.is(evaluate(), 'the condition needs too much work')
  t.is(tryCondition('subject.id == ""', { work }).error, 'the condition needs too much work')
})
