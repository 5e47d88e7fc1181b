import { expandIdTemplate } from './id-template.ts'
import { matchPath, type PathTemplate, parsePathTemplate } from './path-template.ts'
import { readRequestPath } from './request-path.ts'
import type { Route, RouteRule } from './route.ts'

/** The routes of a service, prepared for comparison with requests. */
export type RouteTable = { methods: string[]; template: PathTemplate; rule: RouteRule }[]

/**
 * What a route requires of a request, with the ID of the resource, or the reason why no route
 * applies.
 */
export type Requirement = RouteRule | { denied: 'PATH_AMBIGUOUS' | 'ROUTE_UNKNOWN' }

/** Prepares the routes of a service, which must be valid. */
export function createRouteTable(routes: Route[]): RouteTable {
  return routes.map(({ methods, path, rule }) => {
    const template = parsePathTemplate(path)
    if ('problem' in template) throw new Error(`The route ${path} ${template.problem}`)
    return { methods, template, rule }
  })
}

/**
 * Returns what the first matching route requires of a request.
 *
 * @param target the request target; its query is ignored
 */
export function findRequirement(table: RouteTable, method: string, target: string): Requirement {
  const path = readRequestPath(target)
  if (!path) return { denied: 'PATH_AMBIGUOUS' }
  for (const { methods, template, rule } of table) {
    if (methods.length > 0 && !methods.includes(method)) continue
    const values = matchPath(template, path)
    if (!values) continue
    if ('allow' in rule) return rule
    return { ...rule, resourceId: expandIdTemplate(rule.resourceId, values) }
  }
  return { denied: 'ROUTE_UNKNOWN' }
}
