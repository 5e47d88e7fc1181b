import type {
  AccessReason,
  ExplainPermissionRequest,
  ListPermissionSubjectsRequest,
  PermissionExplanation,
  PermissionSubjectPage,
} from '../../../gen/daikon/v1/admin_permissions.ts'
import type { Handler } from '../../core/request-context.ts'
import { readPageToken, writePageToken } from '../page-token.ts'
import { requireResource } from '../resource.ts'
import type { AccessDependencies } from './access-dependencies.ts'
import { findReasons, type Reason } from './explain.ts'
import { decide } from './load-evaluations.ts'
import type { Explanation } from './load-explanations.ts'
import { findAllowedUsers } from './search-subjects.ts'

/**
 * Creates the handler that explains to administrators whether a user may perform an action on a
 * resource.
 */
export function createExplainPermission({
  loadExplanations,
}: AccessDependencies): Handler<ExplainPermissionRequest, PermissionExplanation> {
  return async ({ em, principal }, { permission_id, user_id, action }) => {
    const resource = await requireResource(em, principal, { permission_id })
    const check = { ...namesOf(resource), action, subject: { userId: user_id } }
    const [explanation] = await loadExplanations([check])
    return {
      decision: decide(explanation, action),
      reasons: findReasons(action, explanation as Explanation).map(toMessage),
    }
  }
}

/**
 * Creates the handler that lists for administrators the users who may perform an action on a
 * resource, ordered by user id, with the reasons.
 */
export function createListPermissionSubjects(
  dependencies: AccessDependencies,
): Handler<ListPermissionSubjectsRequest, PermissionSubjectPage> {
  return async ({ em, principal }, request) => {
    const { permission_id, action = 'view', page_size = 20 } = request
    const resource = await requireResource(em, principal, { permission_id })
    const check = { ...namesOf(resource), action }
    const after = readPageToken(request.page_token)
    const found = await findAllowedUsers(dependencies, check, after, page_size + 1)
    const users = found.slice(0, page_size)
    const checks = users.map(({ id }) => ({ ...check, subject: { userId: id } }))
    const explanations = await dependencies.loadExplanations(checks)
    const last = found.length > users.length ? users.at(-1) : undefined
    return {
      items: users.flatMap(({ id, email, name }, index) => {
        const explanation = explanations[index]
        // The user has lost access since the candidates were read.
        if (!explanation || !decide(explanation, action)) return []
        const reasons = findReasons(action, explanation).map(toMessage)
        return [{ user_id: id, email, name, reasons }]
      }),
      ...(last && { next_page_token: writePageToken(last.id) }),
    }
  }
}

function namesOf({
  service_name,
  resource_type,
  resource_id,
}: {
  service_name: string
  resource_type: string
  resource_id: string
}) {
  return { service_name, resource_type, resource_id }
}

function toMessage({ via = [], ...reason }: Reason): AccessReason {
  return { ...reason, via }
}
