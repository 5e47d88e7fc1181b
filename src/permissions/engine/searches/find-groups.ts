import type { Statements } from '../../../database/statement-pool.ts'
import { createCallWork, isUnused } from '../../conditions/work.ts'
import { countJudged, type LoadJudged } from '../conditions/judged-facts.ts'
import { decide } from '../facts.ts'
import type { Check } from '../question.ts'
import type { FoundSubjects } from './find-subjects.ts'

/** The maximum number of groups that one statement decides. */
const batchSize = 500

/**
 * Finds the IDs of up to `limit` groups after `after` that may perform the action of a check,
 * ordered by ID.
 */
export type FindGroups = (
  check: Omit<Check, 'subject'>,
  after: string,
  limit: number,
) => Promise<FoundSubjects<string>>

/**
 * $1 service name, $2 resource type, $3 resource ID, $4 group ID, $5 limit. Returns the groups of the
 * resource's workspace after $4, ordered by ID.
 */
const groupsSql = `
select g.id
from resource_kinds k join resources r on r.kind_id = k.id
join groups g on g.workspace_id = r.workspace_id
where k.service_name = $1 and k.resource_type = $2 and r.resource_id = $3 and g.id > $4
order by g.id limit $5`

/** Finds groups in the resource's workspace, where a quota limits their number. */
export function createFindGroups(statements: Statements, loadJudged: LoadJudged): FindGroups {
  return async (check, after, limit) => {
    const { serviceName, resourceType, resourceId, action } = check
    const found: string[] = []
    const work = createCallWork()
    let last = after
    for (;;) {
      const values = [serviceName, resourceType, resourceId, last, batchSize]
      const rows = await statements.rows<[string]>('groups', groupsSql, values)
      const checks = rows.map(([groupId]) => ({ ...check, subject: { groupId } }))
      const wasUnused = isUnused(work)
      const facts = await loadJudged(checks, work)
      const count = countJudged(rows.length, facts, wasUnused)
      for (const [index, [id]] of rows.slice(0, count).entries()) {
        last = id
        if (!decide(action, facts.bits[index])) continue
        found.push(id)
        if (found.length === limit) return { found }
      }
      if (count < rows.length) return { found, nextAfter: last }
      if (rows.length < batchSize) return { found }
    }
  }
}
