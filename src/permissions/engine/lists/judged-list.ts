import { createCallWork, isUnused } from '../../conditions/work.ts'
import { countJudged, type LoadJudgedFacts } from '../conditions/judged-facts.ts'
import { decide } from '../facts.ts'
import type { Check } from '../question.ts'
import { idSeparator } from '../statements/list.ts'
import { type ListQuery, type LoadList, splitIds } from './list.ts'

export type JudgedListOptions = {
  /** Lists what does not depend on conditions. */
  loadCertain: LoadList
  /** Lists what would be allowed if every condition were true. */
  loadCandidates: LoadList
  loadFacts: LoadJudgedFacts
}

/** The maximum number of resources that are judged together: two chunks fill a page of 1,000. */
const maxChunk = 512

/** The minimum of the first chunk: a statement costs as much as judging a few resources. */
const minChunk = 16

/** The number of resources after which a page ends. */
const maxJudged = 4 * maxChunk

/**
 * Adds conditions to a list: checks the resources that would be allowed if every condition were true.
 * A page ends early after `maxJudged`, or where the work of the call is used up.
 */
export function createJudgedList({
  loadCertain,
  loadCandidates,
  loadFacts,
}: JudgedListOptions): LoadList {
  return async (query, scope) => {
    const certain = await loadCertain(query, scope)
    if (!certain.isUncertain) return certain
    const work = query.work ?? createCallWork()
    const allowed: string[] = []
    let { status } = certain
    let nextId: string | undefined = query.firstId
    let judgedCount = 0
    let expected = query.limit
    // The minimum doubles, so that there are few chunks.
    for (let min = minChunk; nextId !== undefined && judgedCount < maxJudged; min *= 2) {
      const size = Math.min(Math.max(expected, min), maxChunk)
      const page = { ...query, firstId: nextId, limit: size + 1 }
      const candidates = await loadCandidates(page, scope)
      const ids = splitIds(candidates.joinedIds)
      nextId = ids[size] ?? candidates.nextId
      const judged = ids.slice(0, size)
      judgedCount += size
      const checks = judged.map((id) => toCheck(query, id))
      const wasUnused = isUnused(work)
      const facts = await loadFacts({ ...query, checks }, scope, work)
      status = facts.status
      const end = countJudged(judged.length, facts, wasUnused)
      for (const [index, id] of judged.slice(0, end).entries())
        if (decide(query.action, facts.bits[index])) allowed.push(id)
      if (end < judged.length) {
        nextId = judged[end]
        break
      }
      if (allowed.length >= query.limit) break
      // Fills the page if the share of allowed resources stays the same.
      expected = Math.ceil(((query.limit - allowed.length) / allowed.length) * judgedCount)
    }
    const { hasFullAccess } = certain
    return {
      status,
      joinedIds: allowed.join(idSeparator),
      hasFullAccess,
      isUncertain: false,
      nextId,
    }
  }
}

function toCheck({ serviceName, resourceType, action, input }: ListQuery, id: string): Check {
  return { serviceName, resourceType, resourceId: id, action, input }
}
