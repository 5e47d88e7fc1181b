import type { UncertainFacts } from '../conditions/judge.ts'
import type { LoadUncertain } from '../conditions/load-uncertain.ts'
import type { LoadFacts } from '../facts.ts'
import type { LoadList } from '../lists/list.ts'
import type { ChangeFeed } from './change-feed.ts'
import { createMemory } from './memory.ts'
import { createRememberedChecks, createSubjectMemory } from './remembered-checks.ts'
import { createListMemory, createRememberedLists } from './remembered-lists.ts'
import type { CacheResult, Entry } from './verified-cache.ts'

/** Adds one memory to functions that load facts, of whatever kind of subject. */
export type FactsMemory = {
  rememberFacts(loadFacts: LoadFacts): LoadFacts
  rememberUncertain(loadUncertain: LoadUncertain): LoadUncertain
  /** `of` says what the lists contain. */
  rememberLists(loadList: LoadList, of: 'certain' | 'candidates'): LoadList
}

export type FactsMemoryOptions = {
  feed: ChangeFeed
  maxBytes: number
  onQuery?: ((result: CacheResult) => void) | undefined
}

/** Remembers nothing. */
export const noMemory: FactsMemory = {
  rememberFacts: (load) => load,
  rememberUncertain: (load) => load,
  rememberLists: (load) => load,
}

/** The shares of the memory. */
const shares = { subjects: 0.25, certain: 0.3, uncertain: 0.15, lists: 0.3 }

/** Creates a memory that takes at most about `maxBytes`. */
export function createFactsMemory({ feed, maxBytes, onQuery }: FactsMemoryOptions): FactsMemory {
  const common = { feed, subjects: createSubjectMemory(maxBytes * shares.subjects), onQuery }
  const lists = createListMemory(maxBytes * shares.lists)
  const certain = createMemory<Entry<number>>(maxBytes * shares.certain)
  const uncertain = createMemory<Entry<UncertainFacts>>(
    maxBytes * shares.uncertain,
    countCharacters,
  )
  return {
    rememberFacts: (load) =>
      createRememberedChecks<number>({
        ...common,
        load,
        facts: certain,
        bitsOf: (bits) => bits,
      }),
    rememberUncertain: (load) =>
      createRememberedChecks<UncertainFacts>({
        ...common,
        load,
        facts: uncertain,
        bitsOf: ({ bits }) => bits,
        verified(facts, text) {
          const now = new Date(text)
          return facts.map((fact) => ({ ...fact, now }))
        },
      }),
    rememberLists: (loadList, of) =>
      createRememberedLists({ feed, memory: lists, loadList, of, onQuery }),
  }
}

function countCharacters({ value }: Entry<UncertainFacts>): number {
  const { candidates, requirements, variables } = value
  return JSON.stringify([candidates, requirements, variables]).length
}
