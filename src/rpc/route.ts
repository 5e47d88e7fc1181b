/** The HTTP verbs of the façade. */
export const verbs = ['get', 'post', 'put', 'patch', 'delete'] as const

export type Verb = (typeof verbs)[number]

/** Where a method stands over HTTP (google.api.http). */
export type Route = {
  verb: Verb
  /** With its variables, `/permissions/{permission_id}/share`. */
  path: string
  pathFields: string[]
  /** Whether the request is read from the body, or else from the query. */
  body: boolean
}

/** A google.api.http rule as a Route; throws on what the façade does not do. */
export function readRoute(name: string, rule: Record<string, string>): Route {
  const [verb, ...others] = verbs.filter((verb) => rule[verb])
  const path = verb && rule[verb]
  if (!path || others.length > 0) throw new Error(`${name} wants one verb in google.api.http`)
  if (rule.additional_bindings)
    throw new Error(`${name} has additional_bindings, which can't carry a policy`)
  if (rule.body && rule.body !== '*') throw new Error(`${name} has a body other than "*"`)
  const pathFields = [...path.matchAll(/\{(\w+)\}/g)].map(([, field]) => field as string)
  return { verb, path, pathFields, body: rule.body === '*' }
}
