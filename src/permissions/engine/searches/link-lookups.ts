import type { Statements } from '../../../database/statement-pool.ts'
import { actionFact, builtInActions, isAllowed } from '../../access.ts'
import type { ConditionInput } from '../../conditions/condition-input.ts'
import { type CallWork, createCallWork, isUnused } from '../../conditions/work.ts'
import { countJudged, type LoadJudged } from '../conditions/judged-facts.ts'
import { decide } from '../facts.ts'
import type { Kind } from '../question.ts'
import { linkedResourceSql, linkedResourcesSql } from '../statements/links.ts'
import { link } from '../subjects/link.ts'
import { maxJudgedBatches } from './find-subjects.ts'

/** What the Access API needs to know about links. */
export type LinkLookups = {
  /**
   * Returns up to `limit` resources of a kind from `firstId` on, in order, on which a link grants an
   * action, and none that is only public. `nextId` is the first resource that has not been judged, if
   * the list ends early because of the work of conditions.
   */
  listLinked(linkId: string, query: LinkedQuery): Promise<{ ids: string[]; nextId?: string }>
}

/** A page of what a link opens. */
export type LinkedQuery = Kind & {
  action: string
  firstId: string
  limit: number
  workspaceId?: string
  /** What conditions read of the request. */
  input?: ConditionInput | undefined
  /** The work that is left for conditions. */
  work?: CallWork | undefined
}

export function createLinkLookups(statements: Statements, loadJudged: LoadJudged): LinkLookups {
  return {
    async listLinked(linkId, { action, workspaceId, serviceName, resourceType, ...page }) {
      type Row = [service: string, workspaceId: string, bits: number]
      const asked = builtInActions.includes(action) ? null : action
      const [linked] = await statements.rows<Row>('linked resource', linkedResourceSql, [
        linkId,
        asked,
      ])
      if (linked?.[0] !== serviceName) return { ids: [] }
      if (workspaceId !== undefined && workspaceId !== linked[1]) return { ids: [] }
      // A link grants the same on everything that inherits from its resource, unless conditions say no.
      const possible = (linked[2] & ~link.ignoredBits) | actionFact.registered
      if (!isAllowed('viewer', action, possible)) return { ids: [] }
      const { limit, input, work = createCallWork() } = page
      const ids: string[] = []
      let first = page.firstId
      for (let batch = 1; ; batch += 1) {
        const values = [linkId, serviceName, resourceType, first, limit + 1]
        const rows = await statements.rows<[string]>('linked resources', linkedResourcesSql, values)
        const listed = rows.slice(0, limit).map(([id]) => id)
        const checks = listed.map((resourceId) => ({
          serviceName,
          resourceType,
          resourceId,
          action,
          input,
          subject: { linkId },
        }))
        const wasUnused = isUnused(work)
        const facts = await loadJudged(checks, work)
        const end = countJudged(listed.length, facts, wasUnused)
        for (const [index, id] of listed.slice(0, end).entries()) {
          if (!decide(action, (facts.bits[index] ?? 0) & ~link.ignoredInSearches)) continue
          ids.push(id)
          if (ids.length === limit) return { ids }
        }
        const nextId = listed[end] ?? rows[limit]?.[0]
        if (nextId === undefined) return { ids }
        if (end < listed.length || batch === maxJudgedBatches) return { ids, nextId }
        first = nextId
      }
    },
  }
}
