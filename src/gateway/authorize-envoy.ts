import type {
  AuthorizeActionRequest,
  AuthorizedUser,
  AuthorizeForwardedRequest,
} from '../../gen/daikon/v1/access.ts'
import type { HeaderValueOption } from '../../gen/envoy/config/core/v3/base.ts'
import type { CheckRequest, CheckResponse } from '../../gen/envoy/service/auth/v3/external_auth.ts'
import { type FieldViolation, invalidArgument } from '../core/errors.ts'
import type { DecisionHandler } from '../permissions/decision-handler.ts'
import { denials } from './authorized-user.ts'

type Handlers = {
  action: DecisionHandler<AuthorizeActionRequest, AuthorizedUser>
  forwarded: DecisionHandler<AuthorizeForwardedRequest, AuthorizedUser>
}

/** The context extensions that name an action on a resource. */
const extensions = ['action', 'resource_type', 'resource_id'] as const

/** The maximum length of a context extension. */
const maxLength = 255

/**
 * Creates the handler of Envoy's external authorization. If the filter has context extensions, it
 * decides like AuthorizeAction, otherwise like AuthorizeForwarded.
 */
export function createAuthorizeEnvoy({
  action,
  forwarded,
}: Handlers): DecisionHandler<CheckRequest, CheckResponse> {
  return {
    questions: (request, service) => {
      const asked = readRequest(request)
      const questions =
        'action' in asked
          ? action.questions?.(asked, service)
          : forwarded.questions?.(asked, service)
      return questions ?? { checks: [] }
    },
    handle(context, request, facts) {
      const asked = readRequest(request)
      const user =
        'action' in asked
          ? action.handle(context, asked, facts)
          : forwarded.handle(context, asked, facts)
      return user instanceof Promise ? user.then(toCheckResponse) : toCheckResponse(user)
    },
    logLevel: 'debug',
    outcomes: () => [true],
    denials,
  }
}

function readRequest({
  attributes,
}: CheckRequest): AuthorizeActionRequest | AuthorizeForwardedRequest {
  const given = attributes?.context_extensions ?? {}
  if (Object.keys(given).length > 0) return readExtensions(given)
  const { method = '', path = '' } = attributes?.request?.http ?? {}
  if (method === '')
    throw invalidArgument({ field: 'attributes.request.http.method', message: 'is required' })
  return { method, uri: path }
}

function readExtensions(given: Record<string, string>): AuthorizeActionRequest {
  const violations: FieldViolation[] = []
  const fieldOf = (name: string) => `attributes.context_extensions.${name}`
  for (const name of extensions) {
    const { [name]: value = '' } = given
    if (value === '') violations.push({ field: fieldOf(name), message: 'is required' })
    if (value.length > maxLength) {
      const message = `must be at most ${maxLength} characters long`
      violations.push({ field: fieldOf(name), message })
    }
  }
  // A misspelled extension must not select the routes of the service.
  for (const name of Object.keys(given)) {
    if ((extensions as readonly string[]).includes(name)) continue
    const message = `is not an extension; use ${extensions.join(', ')}`
    violations.push({ field: fieldOf(name), message })
  }
  if (violations.length > 0) throw invalidArgument(...violations)
  const { action = '', resource_type = '', resource_id = '' } = given
  return { action, resource_type, resource_id }
}

function toCheckResponse(user: AuthorizedUser): CheckResponse {
  const headers = [
    toOverwrite('x-auth-user', user.user_id),
    toOverwrite('x-auth-email', user.email),
    toOverwrite('x-auth-workspace', user.workspace_id),
    toOverwrite('x-auth-role', user.role),
    toOverwrite('x-auth-agent', user.agent),
    toOverwrite('x-auth-delegation', user.delegation_id),
  ]
  return { status: { code: 0, message: '', details: [] }, ok_response: { headers } }
}

/** `HeaderAppendAction.OVERWRITE_IF_EXISTS_OR_ADD` */
const overwriteIfExistsOrAdd = 2

/** Replaces the header of the client, if any, also with an empty value. */
function toOverwrite(key: string, value: string): HeaderValueOption {
  return {
    header: { key, value },
    append_action: overwriteIfExistsOrAdd,
    keep_empty_value: true,
  }
}
