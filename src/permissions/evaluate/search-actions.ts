import type { SearchActionsRequest, SearchActionsResponse } from '../../../gen/daikon/v1/access.ts'
import { invalidArgument } from '../../core/errors.ts'
import { textArray } from '../../database/sql-values.ts'
import { builtInActions } from '../access.ts'
import { type Decision, defineDecision } from '../decision.ts'
import type { AccessDependencies } from './access-dependencies.ts'
import { findSubjectViolations } from './batch-items.ts'
import { decide } from './load-evaluations.ts'
import { nameResource } from './resource-id.ts'
import { describePage, readSearchPage } from './search-page.ts'
import { candidateActionsSql } from './search-queries.ts'
import { createNameSubject } from './subject.ts'

/** The maximum number of actions that one statement decides. */
const batchSize = 1000

/** Creates the handler that lists the actions that a subject may perform on a resource. */
export function createSearchActions({
  statements,
  tokens,
  loadEvaluations,
}: AccessDependencies): Decision<SearchActionsRequest, SearchActionsResponse> {
  return defineDecision({
    checks: () => [],
    async handle({ principal }, { subject, resource, page }) {
      const violations = findSubjectViolations(subject)
      if (violations.length > 0) throw invalidArgument(...violations)
      const search = { subject, resource }
      const position = readSearchPage(page, search, isCursor)
      const named = resource && nameResource(principal, resource)
      const name = named && subject && (await createNameSubject(tokens)(subject))
      const allowed: string[] = []
      let [last = ''] = position.cursor
      while (named && name && allowed.length <= position.limit) {
        const values = [named.service_name, textArray(builtInActions), last, batchSize]
        const rows = await statements.rows<[string]>('actions', candidateActionsSql, values)
        const actions = rows.map(([action]) => action)
        const checks = actions.map((action) => ({ ...named, subject: name, action }))
        const facts = await loadEvaluations(checks)
        allowed.push(...actions.filter((action, index) => decide(facts[index], action)))
        if (actions.length < batchSize) break
        last = actions.at(-1) ?? last
      }
      const names = allowed.slice(0, position.limit)
      const lastName = allowed.length > names.length ? names.at(-1) : undefined
      return {
        page: describePage(
          search,
          position,
          names.length,
          lastName === undefined ? undefined : [lastName],
        ),
        results: names.map((name) => ({ name })),
      }
    },
  })
}

/** The name of the last action of the previous page. */
function isCursor([action, ...others]: string[]): boolean {
  return action !== undefined && !action.includes('\0') && others.length === 0
}
