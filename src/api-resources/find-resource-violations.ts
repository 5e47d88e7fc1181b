import type { ApiResource } from '../../gen/daikon/v1/admin_apps.ts'
import type { FieldViolation } from '../core/errors.ts'
import { findUriProblem, toCanonicalUri } from './resource-uri.ts'

/** Returns what is wrong with the API resources of a request, by field. */
export function findResourceViolations(
  resources: ApiResource[],
  { allowHttp }: { allowHttp: boolean },
): FieldViolation[] {
  const uris = new Set<string>()
  return resources.flatMap(({ uri, scopes }, index) => {
    const field = `api_resources[${index}]`
    const canonical = toCanonicalUri(uri)
    const problem =
      findUriProblem(uri, allowHttp) ?? (uris.has(canonical) ? 'is duplicated' : undefined)
    uris.add(canonical)
    const ofUri = problem ? [{ field: `${field}.uri`, message: problem }] : []
    return [...ofUri, ...findDuplicateScopes(field, scopes)]
  })
}

function findDuplicateScopes(field: string, scopes: ApiResource['scopes']): FieldViolation[] {
  const names = scopes.map(({ name }) => name)
  return names.flatMap((name, index) =>
    names.indexOf(name) < index
      ? [{ field: `${field}.scopes[${index}].name`, message: 'is duplicated' }]
      : [],
  )
}
