import type { Route as RouteMessage } from '../../gen/daikon/v1/permissions.ts'
import type { FieldViolation } from '../core/errors.ts'
import { builtInActions } from '../permissions/access.ts'
import { findIdTemplateProblem } from './id-template.ts'
import { type PathTemplate, parsePathTemplate, variablesOf } from './path-template.ts'
import { defaultResourceId } from './route.ts'

/** A field of a route, and a message that completes "<field> …". */
type Problem = [field: string, message: string]

/**
 * Returns everything that is wrong with the routes of a service, in addition to the field rules.
 *
 * @param actions the actions that the service has registered
 */
export function findRouteViolations(
  serviceName: string,
  routes: RouteMessage[],
  actions: string[],
): FieldViolation[] {
  const knownActions = new Set([...builtInActions, ...actions])
  const indexes = new Map<string, number>()
  return routes.flatMap((route, index) => {
    const problems = findRuleProblems(route)
    const { action, path } = route
    if (action !== undefined && !knownActions.has(action))
      problems.push(['action', `is not an action that ${serviceName} has registered`])
    const template = parsePathTemplate(path)
    if ('problem' in template) problems.push(['path', template.problem])
    else {
      problems.push(...findIdProblems(route, template))
      const key = matchingKey(route, template)
      const first = indexes.get(key)
      if (first === undefined) indexes.set(key, index)
      else problems.push(['path', `has the same methods and path as routes[${first}]`])
    }
    return problems.map(([field, message]) => ({ field: `routes[${index}].${field}`, message }))
  })
}

function findRuleProblems({ allow, action, resource_type, resource_id }: RouteMessage): Problem[] {
  const fields = { action, resource_type, resource_id }
  if (allow !== undefined) {
    const present = Object.entries(fields).filter(([, value]) => value !== undefined)
    return present.map(([field]) => [field, 'must not be combined with allow'])
  }
  if (action === undefined && resource_type === undefined)
    return [['allow', 'is required, or action and resource_type']]
  if (action === undefined) return [['action', 'is required with resource_type']]
  if (resource_type === undefined) return [['resource_type', 'is required with action']]
  return []
}

function findIdProblems(
  { allow, action, resource_type, resource_id }: RouteMessage,
  template: PathTemplate,
): Problem[] {
  const asksForAction = action !== undefined || resource_type !== undefined
  if (allow !== undefined || !asksForAction) return []
  const variables = variablesOf(template)
  if (resource_id === undefined && !variables.includes('id'))
    return [['resource_id', 'is required, because the path has no variable {id}']]
  const problem = findIdTemplateProblem(resource_id ?? defaultResourceId, variables)
  return problem === undefined ? [] : [['resource_id', problem]]
}

/** Returns a text that is the same for routes with the same methods and paths. */
function matchingKey({ methods }: RouteMessage, template: PathTemplate): string {
  const segments = template.map((segment) => {
    if ('text' in segment) return segment.text
    // A variable matches the same paths under any name.
    return segment.isRest ? '{=**}' : '{}'
  })
  return `${[...new Set(methods)].sort().join()} ${segments.join('/')}`
}
