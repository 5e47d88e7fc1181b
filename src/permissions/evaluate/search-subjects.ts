import type {
  SearchSubjectsRequest,
  SearchSubjectsResponse,
} from '../../../gen/daikon/v1/access.ts'
import type { Role } from '../../core/roles.ts'
import { isUuid } from '../../core/uuid.ts'
import { type Decision, defineDecision } from '../decision.ts'
import { firstId } from '../page-token.ts'
import type { AccessDependencies } from './access-dependencies.ts'
import { decide, type EvaluationFacts, type NamedCheck } from './load-evaluations.ts'
import { nameResource } from './resource-id.ts'
import { describePage, readSearchPage } from './search-page.ts'
import { type ActionKind, candidateSubjectsSql, registeredActionSql } from './search-queries.ts'

/** The maximum number of users that one statement decides. */
const batchSize = 1000

/** A user who may perform an action. */
export type AllowedUser = { id: string; externalId: string | null; email: string; name: string }

/** Creates the handler that lists the users who may perform an action on a resource. */
export function createSearchSubjects(
  dependencies: AccessDependencies,
): Decision<SearchSubjectsRequest, SearchSubjectsResponse> {
  return defineDecision({
    checks: () => [],
    async handle({ principal }, { subject, action, resource, page }) {
      const search = { subject: subject?.type, action: action?.name, resource }
      const position = readSearchPage(page, search, isCursor)
      const named = resource && nameResource(principal, resource)
      if (subject?.type !== 'user' || !action || !named)
        return { page: describePage(search, position, 0, undefined), results: [] }
      const check = { ...named, action: action.name }
      const [after = firstId] = position.cursor
      const found = await findAllowedUsers(dependencies, check, after, position.limit + 1)
      const users = found.slice(0, position.limit)
      const last = found.length > users.length ? users.at(-1) : undefined
      return {
        page: describePage(search, position, users.length, last && [last.id]),
        results: users.map(({ id, externalId }) => ({ type: 'user', id: externalId ?? id })),
      }
    },
  })
}

/** The id of the last user of the previous page. */
function isCursor([userId, ...others]: string[]): boolean {
  return userId !== undefined && isUuid(userId) && others.length === 0
}

/**
 * Returns up to `limit` users with an id after `after` who may perform the action, ordered by id.
 * The statement that finds candidates also returns the facts that decide built-in actions.
 */
export async function findAllowedUsers(
  { statements, loadEvaluations }: Pick<AccessDependencies, 'statements' | 'loadEvaluations'>,
  check: Omit<NamedCheck, 'subject'>,
  after: string,
  limit: number,
): Promise<AllowedUser[]> {
  const { service_name, resource_type, resource_id, action } = check
  const kind = await findActionKind(statements, service_name, action)
  const allowed: AllowedUser[] = []
  if (!kind) return allowed
  let last = after
  for (;;) {
    const size = Math.min(batchSize, Math.max(limit, 100))
    const candidates = await statements.rows<Candidate>(
      'candidate subjects',
      candidateSubjectsSql,
      [service_name, resource_type, resource_id, last, size, kind, action],
    )
    const checks = candidates.map(([userId]) => ({ ...check, subject: { userId } }))
    const facts = kind === 'registered' ? await loadEvaluations(checks) : candidates.map(readFacts)
    for (const [index, [id, externalId, email, name]] of candidates.entries()) {
      if (!decide(facts[index], action)) continue
      allowed.push({ id, externalId, email, name })
      if (allowed.length === limit) return allowed
    }
    if (candidates.length < size) return allowed
    last = candidates.at(-1)?.[0] ?? last
  }
}

/** A row of `candidateSubjectsSql`. */
type Candidate = [
  id: string,
  externalId: string | null,
  email: string,
  name: string,
  isActive: boolean,
  role: Role | null,
  grants: number,
]

function readFacts([, , , , userActive, role, grants]: Candidate): EvaluationFacts {
  return { userKnown: true, userActive, tokenDenied: false, role: role ?? undefined, grants }
}

/** Returns undefined if the service has not registered the action: then no one may perform it. */
async function findActionKind(
  statements: AccessDependencies['statements'],
  serviceName: string,
  action: string,
): Promise<ActionKind | undefined> {
  if (action === 'view' || action === 'edit' || action === 'manage') return action
  const values = [serviceName, action]
  const rows = await statements.rows('registered action', registeredActionSql, values)
  return rows.length > 0 ? 'registered' : undefined
}
