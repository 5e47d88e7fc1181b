import { compileCondition, evaluateCondition } from '../../src/permissions/conditions/condition.ts'
import { parseParameterTypes } from '../../src/permissions/conditions/parameter-type.ts'
import { convertParameters } from '../../src/permissions/conditions/parameters.ts'
import { fromDate, fromJson, type Json } from '../../src/permissions/conditions/values.ts'
import { createCallWork } from '../../src/permissions/conditions/work.ts'

/** The processor time of one condition, in milliseconds. Nothing else runs while it is worked on. */
export type ConditionCost = { title: string; bytes: number; milliseconds: number }

const maxLength = 990
const longText = 'a'.repeat(16_000)
const otherText = fill('', String.fromCodePoint(0x101, 0x123, 0x3b1, 0x416), 4_000)
const bits = Array.from({ length: 4_000 }, (_, index) => ((index * 7919) % 31) % 2).join('')
const words = Array.from({ length: 2_000 }, (_, index) => `word-${index}`)
const times = Array.from({ length: 2_000 }, (_, index) => new Date(index * 3_600_000).toISOString())
const zones = Intl.supportedValuesOf('timeZone')
const context: Json = {
  zones,
  longText,
  otherText,
  bits,
  words,
  times,
  many: words.map((_, i) => i),
}

/** The worst expressions to compile: each field and function with what takes it longest. */
const expressions: Record<string, string> = {
  'path of names': `${fill('context', '.a')} == 1`,
  'path of brackets': `${fill('context', "['a']")} == 1`,
  'path of a local variable': fill('context.l.exists(x, x', '.a', maxLength, ')'),
  'open text of backslashes': `"""${'\\'.repeat(900)}`,
  'open text of escapes': fill("'''", '\\a'),
  'open texts': fill('', `r"""'''`),
  brackets: '('.repeat(32),
  list: fill('[', '1,', maxLength, ']==[]'),
  sum: fill('', '1+', maxLength, '1==1'),
  negations: fill('', '!', maxLength, 'true'),
  conditionals: fill('', 'true?1:', maxLength, '1==1'),
  calls: fill('', 'size("")+', maxLength, '1==1'),
  macros: fill('', '[1].all(x,true)&&', maxLength, 'true'),
  'unknown names': fill('', 'a&&', maxLength, 'b'),
}

/** Patterns that take RE2 longest to read, to compile, or to match. */
export const patterns: Record<string, string> = {
  quotation: fill('\\Q[\\E', 'a{1000}', maxLength, ']'),
  'quoted repetitions': fill('', '\\Q[\\Ea{1000}'),
  'open classes': fill('', '['),
  'folded classes': fill('(?i)[', '\\pL', maxLength, ']'),
  'folded alternatives': fill('(?i)', '\\pL|a|', maxLength, 'b'),
  'folded ranges': fill('(?i)[', '!-\\x{1e943}', maxLength, ']'),
  'mixed classes': fill('[', '\\pL\\PN\\p{Greek}', maxLength, ']'),
  'unsorted class': `[${Array.from({ length: 900 }, (_, i) => String.fromCodePoint(0x1000 + (i < 450 ? i * 8 : 4 + (900 - i) * 8))).join('')}]`,
  repetitions: fill('', 'a{1000}'),
  'nested repetitions': '(?:(?:a{10}){10}){10}',
  'open groups': fill('', '('),
  groups: `${'('.repeat(495)}${')'.repeat(495)}`,
  'empty groups': fill('', '(|)'),
  alternatives: fill('', 'ab|'),
  'many states': '(?:0|1)*1(?:0|1){12}[xX]',
  'more states': '[01]*1[01]{200}[xX]',
  'folded characters': `(?i)(?:${Array.from({ length: 60 }, (_, i) => String.fromCodePoint(0x3b1 + i)).join('z|')})[yY]`,
  'classes and texts': '\\pL*\\pL*\\pL*[12]',
  boundaries: '(?:$|^|\\b|x){20}[yY]',
  'any characters': '.*.*.*.*.*.*[yY]',
}

const classes = ['L', 'N', '{Greek}'].flatMap((name) => [
  `"a".matches("\\\\p${name}")`,
  `"a".matches("(?i)\\\\P${name}")`,
])

/** Expressions that take longest to evaluate, one for each function. */
const evaluations: Record<string, string> = {
  in: '"x" in context.words',
  '==': 'context.words == context.words && context.words == context.words',
  '+': 'context.longText + context.longText + context.longText == ""',
  contains: 'context.longText.contains("b" + context.longText)',
  startsWith: 'context.longText.startsWith(context.longText + "b")',
  endsWith: 'context.longText.endsWith("b" + context.longText)',
  size: 'context.words.all(x, size(context.longText + x) > 0)',
  timestamp: 'context.times.all(x, timestamp(x) > timestamp("1960-01-01T00:00:00Z"))',
  duration: 'context.words.exists(x, duration(x) > duration("1s"))',
  getHours: 'context.times.all(x, timestamp(x).getHours("Europe/Berlin") < 30)',
  'getHours of many zones':
    'context.zones.all(x, timestamp("2026-01-01T00:00:00Z").getHours(x) < 30)',
  'getHours of unknown zones': 'context.words.exists(x, now.getHours(x) == 1)',
  int: 'context.words.exists(x, int(x) > 0)',
  string: 'context.many.all(x, string(x) != "")',
  bytes: 'context.words.all(x, bytes(context.longText) != b"")',
  in_cidr: 'context.words.exists(x, in_cidr("10.0.0.1", "192.168.0.0/16"))',
  type: 'context.many.all(x, type(x) == double)',
  exists: 'context.many.all(x, context.many.exists(y, y + x > 4000.0))',
  failures: 'context.many.exists(x, x + 1 > 0)',
  'different patterns': 'context.words.exists(x, "a".matches("^(?:[a-z]{30}){3}" + x))',
  'refused patterns': 'context.words.exists(x, "a".matches("(" + x))',
}

/**
 * Measures everything that a stranger can have compiled and evaluated, each for the first time. What
 * a process does once is done before: it loads the zones and the classes of Unicode.
 */
export function* measureConditionCosts(): Generator<ConditionCost> {
  for (const first of ['now.getHours("UTC") < 30', ...classes]) createEvaluation(first)()
  for (const [title, expression] of Object.entries(expressions))
    yield measure(`compile: ${title}`, expression.length, () =>
      compileCondition(expression, new Map()),
    )
  for (const [title, expression] of Object.entries(evaluations))
    yield measure(`evaluate: ${title}`, longText.length, createEvaluation(expression))
  for (const [title, pattern] of Object.entries(patterns)) {
    for (const text of ['longText', 'otherText', 'bits']) {
      const evaluate = createEvaluation(`context.${text}.matches(context.pattern)`, {
        pattern: unseen(pattern),
      })
      yield measure(`match: ${title}, ${text}`, pattern.length, evaluate)
      // The largest part of the text that still fits.
      for (const size of [1_000, 300, 100, 30]) {
        const part = { part: (context as Record<string, string>)[text]?.slice(0, size) ?? '' }
        const ofPart = createEvaluation('context.part.matches(context.pattern)', {
          ...part,
          pattern: unseen(pattern),
        })
        yield measure(`match: ${title}, ${size} of ${text}`, pattern.length, ofPart)
      }
    }
  }
  const { types } = parseParameterTypes({ times: 'list<timestamp>', durations: 'list<duration>' })
  const params = { times: times.slice(0, 90), durations: times.slice(0, 90).map(() => '1.5s') }
  yield measure('params: times', 4_096, () => convertParameters(types, params))
}

let measured = 0

/** Returns a pattern that no evaluation has compiled yet, because compiled ones are kept. */
function unseen(pattern: string): string {
  measured += 1
  return `${pattern}|${measured}`
}

const variables = {
  subject: fromJson({ id: 'a', external_id: '', type: 'user', email: 'a@b.c', role: 'viewer' }),
  resource: fromJson({ id: 'r', owner_id: 'a', attributes: {} }),
  action: 'view',
  properties: fromJson({ subject: {}, resource: {}, action: {} }),
  now: fromDate(new Date('2026-01-05T12:00:00Z')),
}

function createEvaluation(expression: string, more: Record<string, Json> = {}): () => unknown {
  const compiled = compileCondition(expression, new Map())
  if ('problem' in compiled) throw new Error(`${expression}: ${compiled.problem.message}`)
  const values = { ...variables, context: fromJson({ ...(context as object), ...more }) }
  return () => evaluateCondition(compiled.condition, values, new Map(), createCallWork())
}

function measure(title: string, bytes: number, run: () => unknown): ConditionCost {
  // Of this thread alone, because those of V8 work beside it.
  const started = process.threadCpuUsage()
  run()
  const { user, system } = process.threadCpuUsage(started)
  return { title, bytes, milliseconds: (user + system) / 1_000 }
}

function fill(begin: string, repeated: string, length = maxLength, end = ''): string {
  return (
    begin +
    repeated.repeat(Math.floor((length - begin.length - end.length) / repeated.length)) +
    end
  )
}

/** Measures everything a few times, and returns the least that each needed, the most expensive first. */
export function measureLeastCosts(rounds = 3): ConditionCost[] {
  const least = new Map<string, ConditionCost>()
  for (let round = 0; round < rounds; round += 1) {
    for (const cost of measureConditionCosts()) {
      const before = least.get(cost.title)
      if (!before || cost.milliseconds < before.milliseconds) least.set(cost.title, cost)
    }
  }
  return [...least.values()].toSorted((one, other) => other.milliseconds - one.milliseconds)
}
