/** Who may send requests with some methods and paths to an application. */
export type Route = {
  /** In upper case. Empty for every method. */
  methods: string[]
  /** A template of the path (`path-template.ts`). */
  path: string
  rule: RouteRule
}

/** `resourceId` is a template of the variables in the path. */
export type RouteRule =
  | { allow: 'anyone' | 'authenticated' }
  | { action: string; resourceType: string; resourceId: string }

/** The resource ID of a route without one. */
export const defaultResourceId = '{id}'

/**
 * Describes a route in one line.
 *
 * @example
 * 'GET,HEAD /documents/{id}: view document {id}'
 */
export function describeRoute({ methods, path, rule }: Route): string {
  const who =
    'allow' in rule ? rule.allow : `${rule.action} ${rule.resourceType} ${rule.resourceId}`
  return `${methods.join(',') || '*'} ${path}: ${who}`
}
