import { RE2JS } from '@bufbuild/re2'
import test from 'ava'
import { patterns } from '../../../bench/abuse/condition-costs.ts'
import { measurePattern } from '../../../src/permissions/conditions/pattern-size.ts'
import { createCallWork } from '../../../src/permissions/conditions/work.ts'
import { tryCondition } from './try-condition.ts'

const matchPattern = (pattern: string, work = createCallWork()) =>
  tryCondition('"x".matches(context.pattern)', { context: { pattern }, work })

for (const [title, pattern] of Object.entries(patterns)) {
  test(`what RE2 would compile is measured: ${title}`, (t) => {
    const { instructions, parsing } = measurePattern(pattern)
    const { error } = matchPattern(pattern)
    if (parsing + instructions > 12_000) t.regex(error ?? '', /too large|too much work/)
    else t.true(error !== undefined || compiledSize(pattern) <= instructions)
  })
}

/** What patterns consist of, with what a reader could take for something else. */
const parts =
  'a b é 😀 ( ( (?: (?i: (?i) (?P<n> ) ) ) | [ [^ ] ] {2} {3} {2,3} {2,} {0,2} {0} {01} {1, { } * + ? \\Q \\E \\ \\\\ \\[ \\x{41} \\x41 \\0 \\101 \\d \\W \\pL \\P{Greek} \\p{L [:alpha:] [: : - ^ $ . \\b \\A , 1 P < >'.split(
    ' ',
  )

test('no pattern is larger when RE2 has compiled it than measured before', (t) => {
  const random = createRandom(47)
  const pick = () => parts[random(parts.length)] as string
  let compiled = 0
  for (let count = 0; count < 1_000; count += 1) {
    const pattern = Array.from({ length: 1 + random(12) }, pick).join('')
    const { instructions } = measurePattern(pattern)
    if (instructions > 2_000) continue
    const size = compiledSize(pattern)
    if (size > 0) compiled += 1
    if (size > instructions) t.fail(`${pattern}: ${size} instructions, measured ${instructions}`)
  }
  t.true(compiled > 200)
})

test('a pattern has at most 1,000 characters', (t) => {
  t.true(matchPattern(`x|${'[ab]'.repeat(20)}`).result)
  t.regex(matchPattern('a'.repeat(1_001)).error ?? '', /at most 1000 characters/)
  t.regex(matchPattern('['.repeat(16_000)).error ?? '', /at most 1000 characters/)
})

test('a refused pattern is remembered', (t) => {
  const work = createCallWork()
  const spend = () => {
    const before = work.operations
    t.regex(matchPattern('(?:a{100}){100}|unusual', work).error ?? '', /too large/)
    return before - work.operations
  }
  t.true(spend() > 300)
  t.true(spend() < 10)
})

test('usual patterns are within the limits', (t) => {
  const usual: [pattern: string, text: string][] = [
    ['^[a-z0-9._%+-]+@[a-z0-9.-]+\\.[a-z]{2,}$', 'anna.example@mail.example.com'],
    ['^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$', '6ba7b810-9dad-11d1-80b4-00c04fd430c8'],
    [
      '(?i)^(?:report|invoice)-\\d{4}(?:-\\d{2}){2}\\.(?:pdf|docx?|xlsx?)$',
      'Invoice-2026-01-05.PDF',
    ],
    ['^[\\p{L}\\p{N} _.-]{1,64}$', 'Übersicht 2026'],
    ['^(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.|$)){4}$', '192.168.10.254'],
    [
      '(?i)android|iphone|ipad',
      'Mozilla/5.0 (Linux; Android 16; Pixel 10) AppleWebKit/537.36 Mobile',
    ],
  ]
  for (const [pattern, text] of usual)
    t.like(tryCondition('context.text.matches(context.pattern)', { context: { text, pattern } }), {
      result: true,
    })
})

/** The number of instructions, or 0 if RE2 refuses the pattern. */
function compiledSize(pattern: string): number {
  try {
    return RE2JS.compile(pattern).re2().prog.numInst()
  } catch {
    return 0
  }
}

/** Returns the same numbers for a seed. */
function createRandom(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}
