import type { Route } from '../../rpc/method.ts'
import type { DeclaredOperation } from '../../rpc/operation.ts'

/**
 * Returns the links from the response of a method that creates an object to the methods that take
 * its ID in their path; undefined if there are none.
 */
export function describeLinks(
  { policy, output }: DeclaredOperation,
  { path, pathFields }: Route,
  operations: DeclaredOperation[],
  operationId: (operation: DeclaredOperation, route: Route) => string,
): Record<string, object> | undefined {
  if (policy.status !== 201 || !output.fields.some(({ name }) => name === 'id')) return undefined
  const links: Record<string, object> = {}
  for (const operation of operations) {
    for (const route of operation.routes) {
      const [field, ...others] = route.pathFields.filter((name) => !pathFields.includes(name))
      if (!field || others.length > 0 || !route.path.startsWith(`${path}/{${field}}`)) continue
      const id = operationId(operation, route)
      const inherited = pathFields.map((name) => [name, `$request.path.${name}`])
      const parameters = { ...Object.fromEntries(inherited), [field]: '$response.body#/id' }
      links[id] = { operationId: id, parameters }
    }
  }
  return Object.keys(links).length > 0 ? links : undefined
}
