import type { SearchActionsRequest, SearchActionsResponse } from '../../../gen/daikon/v1/access.ts'
import { invalidArgument } from '../../core/errors.ts'
import { createCallWork, isUnused } from '../conditions/work.ts'
import type { DecisionHandler } from '../decision-handler.ts'
import { countJudged } from '../engine/conditions/judged-facts.ts'
import { decide } from '../engine/facts.ts'
import { parseResource } from '../resource-id.ts'
import type { AccessDependencies } from './access-dependencies.ts'
import { findSubjectViolations } from './batch-items.ts'
import { readInput } from './condition-input.ts'
import { describePage, readSearchPage } from './search-page.ts'
import { describeSubjectError, noteUse, resolveSubject } from './subject.ts'
import { requireOwnType } from './type-ownership.ts'

/** The maximum number of actions that one statement decides. */
const batchSize = 1000

/** Creates the handler that lists the actions that a subject may perform on a resource. */
export function createSearchActions({
  engine,
  noteDelegationUse,
  ...naming
}: AccessDependencies): DecisionHandler<SearchActionsRequest, SearchActionsResponse> {
  return {
    logLevel: 'debug',
    async handle({ principal, now }, { subject, resource, context, page }) {
      const violations = findSubjectViolations(subject)
      if (violations.length > 0) throw invalidArgument(...violations)
      const search = { subject, resource, context }
      const position = readSearchPage(page, search, isCursor)
      await requireOwnType(engine, principal, resource?.type ?? '')
      const named = resource && parseResource(principal.service, resource)
      const namedSubject = await resolveSubject(naming, principal.service, subject)
      const name = namedSubject.subject
      const input = readInput({ subject, resource, context })
      const allowed: string[] = []
      let [last = ''] = position.cursor
      const work = createCallWork()
      let endsEarly = false
      while (named && name && allowed.length <= position.limit && !endsEarly) {
        const actions = await engine.listActionNames(named.serviceName, last, batchSize)
        const checks = actions.map((action) => ({ ...named, subject: name, action, input }))
        const wasUnused = isUnused(work)
        const facts = await engine.loadJudged(checks, work)
        const judged = actions.slice(0, countJudged(actions.length, facts, wasUnused))
        allowed.push(...judged.filter((action, index) => decide(action, facts.bits[index])))
        last = judged.at(-1) ?? last
        endsEarly = judged.length < actions.length
        if (actions.length < batchSize) break
      }
      if (allowed.length > 0) noteUse(noteDelegationUse, namedSubject, now)
      const names = allowed.slice(0, position.limit)
      const end = endsEarly ? last : undefined
      const lastName = allowed.length > names.length ? names.at(-1) : end
      const cursor = lastName === undefined ? undefined : [lastName]
      return {
        page: describePage(search, position, names.length, cursor),
        results: names.map((name) => ({ name })),
        context: describeSubjectError(namedSubject),
      }
    },
  }
}

/** The name of the last action of the previous page. */
function isCursor([action, ...others]: string[]): boolean {
  return action !== undefined && !action.includes('\0') && others.length === 0
}
