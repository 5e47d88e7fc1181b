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

/** The number of resources that are judged together. */
const chunkSize = 500

/** The maximum number of chunks of a page. */
const maxChunks = 4

/**
 * Adds conditions to a list: checks the resources that would be allowed if every condition were true.
 * A page ends early after `maxChunks`, or where the work of the call is used up.
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
    for (let chunk = 1; chunk <= maxChunks && nextId !== undefined; chunk += 1) {
      const page = { ...query, firstId: nextId, limit: chunkSize + 1 }
      const candidates = await loadCandidates(page, scope)
      const ids = splitIds(candidates.joinedIds)
      nextId = ids[chunkSize] ?? candidates.nextId
      const judged = ids.slice(0, chunkSize)
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
