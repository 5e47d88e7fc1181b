import test from 'ava'
import fc from 'fast-check'
import {
  compileCondition,
  evaluateCondition,
} from '../../../src/permissions/conditions/condition.ts'
import { fromJson, type Json } from '../../../src/permissions/conditions/values.ts'
import {
  createCallWork,
  maxCallSteps,
  maxEvaluationSteps,
} from '../../../src/permissions/conditions/work.ts'
import { tryCondition } from './try-condition.ts'

const leaf = fc.constantFrom(
  'true',
  'false',
  'null',
  '0',
  '1u',
  '1.5',
  "'a'",
  "b'a'",
  '[]',
  '[1, "a"]',
  '{"a": 1}',
  'subject.id',
  'resource.attributes',
  'context.a',
  'context.b.c',
  'properties.subject.a',
  'context',
  'now',
  'int',
)

const operators = ['==', '!=', '<', '>=', '+', '-', '*', '/', '%', 'in', '&&', '||']
const methods = ['startsWith', 'contains', 'matches', 'getHours']
const functions = [
  'size',
  'int',
  'double',
  'string',
  'timestamp',
  'duration',
  'type',
  'dyn',
  '!',
  '-',
]

/** Expressions of any type, most of which fail when they are evaluated. */
const { expression: anyExpression } = fc.letrec<{ expression: string }>((tie) => {
  const part = tie('expression')
  return {
    expression: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'expression', withCrossShrink: true },
      leaf,
      fc.tuple(part, fc.constantFrom(...operators), part).map(([a, op, b]) => `(${a} ${op} ${b})`),
      fc.tuple(part, part, part).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
      fc.tuple(part, fc.constantFrom(...methods), part).map(([a, f, b]) => `(${a}).${f}(${b})`),
      fc.tuple(fc.constantFrom(...functions), part).map(([f, a]) => `${f}(${a})`),
      fc.tuple(part, part).map(([a, b]) => `(${a})[${b}]`),
      fc
        .tuple(part, fc.constantFrom('all', 'exists', 'exists_one'), part)
        .map(([a, macro, b]) => `(${a}).${macro}(x, ${b})`),
      part.map((a) => `has((${a}).a)`),
      fc.tuple(part, part).map(([a, b]) => `in_cidr(${a}, ${b})`),
    ),
  }
})

const context = fc.dictionary(
  fc.constantFrom('a', 'b', '__proto__'),
  fc.jsonValue({ maxDepth: 3, noUnicodeString: false }),
) as fc.Arbitrary<Record<string, Json>>

function compile(expression: string) {
  const compiled = compileCondition(expression, new Map())
  return 'condition' in compiled ? compiled.condition : undefined
}

function evaluate(expression: string, values: Json) {
  const condition = compile(expression)
  if (!condition) return undefined
  return tryCondition(expression, { context: values })
}

test('a condition is true or false, and what fails is false', (t) => {
  let evaluated = 0
  fc.assert(
    fc.property(anyExpression, context, (expression, values) => {
      const verdict = evaluate(expression, values)
      if (!verdict) return
      evaluated++
      const { result, error, missing, steps } = verdict
      if (error !== undefined) t.false(result)
      else t.deepEqual(missing, [])
      t.deepEqual(missing, [...new Set(missing)].toSorted())
      t.true(steps <= maxEvaluationSteps + 1)
    }),
    { numRuns: 2_000 },
  )
  t.true(evaluated > 200, `${evaluated} expressions were evaluated`)
})

test('the negation of a condition that fails also fails', (t) => {
  fc.assert(
    fc.property(anyExpression, context, (expression, values) => {
      const verdict = evaluate(expression, values)
      const negation = evaluate(`!(${expression})`, values)
      if (!verdict || !negation) return
      if (verdict.error !== undefined)
        t.deepEqual([negation.result, negation.missing], [false, verdict.missing])
      else t.is(negation.result, !verdict.result)
    }),
    { numRuns: 2_000 },
  )
})

test('missing paths are selected in the expression, and absent from the request', (t) => {
  fc.assert(
    fc.property(anyExpression, context, (expression, values) => {
      for (const path of evaluate(expression, values)?.missing ?? []) {
        t.true(/^(context|properties)\./.test(path), path)
        t.false(evaluate(`has(${path})`, values)?.result)
      }
    }),
    { numRuns: 2_000 },
  )
})

test('any text either compiles or is refused at a position in it', (t) => {
  const token = fc.oneof(
    leaf,
    fc.constantFrom(
      '(',
      ')',
      '[',
      '{',
      '.',
      '!',
      '?',
      ':',
      '\n',
      '"',
      "'",
      '//',
      'r"',
      '\\',
      '\u0000',
      '😀',
      '.all(x,',
    ),
  )
  fc.assert(
    fc.property(fc.array(token, { maxLength: 40 }), (tokens) => {
      const expression = tokens.join('')
      const compiled = compileCondition(expression, new Map())
      if ('condition' in compiled) return
      const { line, column, message } = compiled.problem
      const lines = `${expression}\n`.split('\n')
      t.true(line >= 1 && line <= lines.length, message)
      t.true(column >= 1 && column <= (lines[line - 1] as string).length + 2, message)
    }),
    { numRuns: 3_000 },
  )
})

test('the work of a call is never negative, however its evaluations end', (t) => {
  const conditions = ['true', 'context.list.all(x, x > 0)', '-1 in context.list', 'context.a > 1']
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...conditions), { maxLength: 30 }),
      fc.integer({ min: 0, max: 5_000 }),
      (expressions, steps) => {
        const work = { ...createCallWork(), steps }
        const variables = { context: fromJson({ list: Array(500).fill(1) }) }
        for (const expression of expressions) {
          const condition = compile(expression)
          if (!condition) return t.fail(expression)
          evaluateCondition(condition, variables, new Map(), work)
          t.true(work.steps >= 0 && work.steps <= Math.min(steps, maxCallSteps))
          t.true(work.operations >= 0)
        }
      },
    ),
    { numRuns: 200 },
  )
})
