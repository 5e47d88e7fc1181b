import { RE2JS } from '@bufbuild/re2'
import { LRUCache } from 'lru-cache'
import { createFailure, type Failure } from './failure.ts'
import { measurePattern } from './pattern-size.ts'
import { takeOperations, takeSteps, type Work } from './work.ts'

/** How long a pattern may be, in characters. */
export const maxPatternLength = 1_000

/** How many instructions a compiled pattern may have. */
const maxInstructions = 1_000

// Upper bounds, of texts for which RE2 creates a state at each character.
const operationsPerInstruction = 40
const operationsPerCharacter = 2
const operationsPerPair = 0.6
// RE2 throws errors with a stack trace.
const operationsPerError = 300

/** A compiled pattern, with what it occupies. RE2 keeps a state for what it has met in texts. */
type Pattern = {
  matcher: RE2JS
  instructions: number
  bytes: number
  states: number
  /** Characters of texts that are not ASCII, for which RE2 may keep an entry each. */
  otherCharacters: number
}

const maxPatternBytes = 16 * 1024 * 1024
const bytesPerState = 1_500
const bytesPerEntry = 64

/** The patterns used last, and those that were refused. */
const patterns = new LRUCache<string, Pattern | Failure>({
  max: 2_000,
  maxSize: maxPatternBytes,
  maxEntrySize: maxPatternBytes / 16,
})

/** Whether the pattern is found in the text. RE2 needs a time linear in the length of the text. */
export function matches(work: Work, text: string, pattern: string): boolean | Failure {
  takeSteps(work, Math.ceil(text.length / 64))
  if (pattern.length > maxPatternLength)
    return createFailure(`a regular expression has at most ${maxPatternLength} characters`)
  const compiled = patterns.get(pattern) ?? compile(work, pattern)
  if ('isFailure' in compiled) return compiled
  const { matcher, instructions } = compiled
  const perCharacter = operationsPerCharacter + instructions * operationsPerPair
  takeOperations(work, Math.ceil(text.length * perCharacter))
  const found = matcher.test(text)
  weighAgain(pattern, compiled, text)
  return found
}

function compile(work: Work, pattern: string): Pattern | Failure {
  takeOperations(work, pattern.length + operationsPerError)
  const { instructions, parsing } = measurePattern(pattern)
  if (instructions > maxInstructions) return refuse(pattern, 'too large')
  takeOperations(work, parsing + instructions * operationsPerInstruction)
  let matcher: RE2JS
  try {
    matcher = RE2JS.compile(pattern)
  } catch {
    return refuse(pattern, 'invalid')
  }
  const { inst } = matcher.re2().prog
  const bytes = inst.reduce((sum, { runes }) => sum + 200 + 8 * runes.length, 2 * pattern.length)
  const compiled = { matcher, instructions: inst.length, bytes, states: 0, otherCharacters: 0 }
  patterns.set(pattern, compiled, { size: bytes })
  return compiled
}

function refuse(pattern: string, problem: 'too large' | 'invalid'): Failure {
  const failure = createFailure(`the regular expression is ${problem}`)
  patterns.set(pattern, failure, { size: 200 + 2 * pattern.length })
  return failure
}

/** Counts what RE2 keeps of a text. A pattern that occupies too much is evicted. */
function weighAgain(pattern: string, compiled: Pattern, text: string): void {
  const states = compiled.matcher.re2().dfa.stateCount
  const isPlain = !/[^\0-\x7f]/.test(text)
  if (states === compiled.states && isPlain) return
  compiled.states = states
  if (!isPlain) compiled.otherCharacters += text.length
  const perState = bytesPerState + 4 * compiled.instructions
  const kept = states * perState + compiled.otherCharacters * bytesPerEntry
  patterns.set(pattern, compiled, { size: compiled.bytes + kept })
}
