import { RE2JS } from '@bufbuild/re2'
import { LRUCache } from 'lru-cache'
import { createFailure, type Failure } from './failure.ts'
import { takeOperations, takeSteps, type Work } from './work.ts'

/** How large a pattern may be after `x{n}` is written out as n times x. */
const maxPatternSize = 1_000

// An upper bound for compiling one element of a pattern, and for one element at one character.
const operationsPerElement = 40
const elementsPerOperation = 5

type Pattern = { size: number; matcher: RE2JS }

const patterns = new LRUCache<string, Pattern>({ max: 200 })

/** Whether the pattern is found in the text. RE2 needs a time linear in the length of the text. */
export function matches(work: Work, text: string, pattern: string): boolean | Failure {
  takeSteps(work, Math.ceil(text.length / 64))
  const compiled = patterns.get(pattern) ?? compile(work, pattern)
  if ('isFailure' in compiled) return compiled
  takeOperations(work, Math.ceil((text.length * compiled.size) / elementsPerOperation))
  return compiled.matcher.test(text)
}

function compile(work: Work, pattern: string): Pattern | Failure {
  const size = measurePattern(pattern)
  if (size > maxPatternSize) return createFailure('the regular expression is too large')
  takeOperations(work, (size + 1) * operationsPerElement)
  try {
    const compiled = { size, matcher: RE2JS.compile(pattern) }
    patterns.set(pattern, compiled)
    return compiled
  } catch {
    return createFailure('the regular expression is invalid')
  }
}

// Groups, classes, escapes, repetitions, and other characters.
const tokens =
  /\\(?:[pP]\{[^}]*\}|[\s\S])|\[\^?\]?(?:\\[\s\S]|\[:\w+:\]|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|[()]|[\s\S]/g

// Classes of Unicode have hundreds of ranges.
const unicodeClass = /\\[pP]/
const unicodeClassSize = 30

/** An upper bound of the number of elements that a pattern has when repetitions are written out. */
export function measurePattern(pattern: string): number {
  const groups: number[] = []
  let size = 0
  let last = 0
  for (const [token, least, most] of pattern.matchAll(tokens)) {
    if (token === '(') {
      groups.push(size)
      size = 0
      last = 1
      continue
    }
    if (token === ')') {
      last = size + 1
      size = last + (groups.pop() ?? 0)
      continue
    }
    if (least !== undefined) {
      const repeated = last * (Math.max(Number(least), Number(most || 0)) + 1)
      size += repeated
      last += repeated
      continue
    }
    last = unicodeClass.test(token) ? unicodeClassSize : 1
    size += last
  }
  return groups.reduce((total, group) => total + group, size)
}
