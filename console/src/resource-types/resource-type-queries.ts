import { queryOptions } from '@tanstack/react-query'
import { ApiError } from '../api/api-error.ts'
import { api, type Schemas, unwrap } from '../api/client.ts'
import { queryClient } from '../api/query-client.ts'

export type ResourceType = Schemas['ResourceType']
export type ResourceRole = Schemas['ResourceRole']

type Optional = Pick<
  ResourceType,
  'roles_used' | 'conditions_used' | 'resources' | 'conditions' | 'requirements'
>
type Declared = Omit<ResourceType, keyof Optional> & {
  [Name in keyof Optional]?: Optional[Name] | undefined
}

type Key = Pick<ResourceType, 'service_name' | 'resource_type'>

/** What an administrator edits. */
export type Declaration = Pick<
  ResourceType,
  'resource_type' | 'description' | 'allow_public' | 'roles'
>

export const resourceTypesQuery = queryOptions({
  queryKey: ['resource-types'],
  queryFn: () => unwrap(api.GET('/admin/resource-types')),
})

/** Counts the resources of a type, and the shares with each of its roles. */
export function usesQuery(type: ResourceType) {
  return queryOptions({
    queryKey: ['resource-types', 'uses', type.service_name, type.resource_type],
    queryFn: async () => {
      const { resources, roles_used } = await put(type, true)
      return { resources: resources ?? 0, shares: (roles_used ?? {}) as Record<string, number> }
    },
    // Shares change while the page is open.
    staleTime: 0,
  })
}

/** Reads a declaration again, so that a dialog shows the current one; undefined if there is none. */
export async function readResourceType(key: Key): Promise<ResourceType | undefined> {
  const types = await queryClient.fetchQuery({ ...resourceTypesQuery, staleTime: 0 })
  return types.find(
    (type) => type.service_name === key.service_name && type.resource_type === key.resource_type,
  )
}

/**
 * Declares a resource type of a service, or changes the declaration `current`.
 *
 * @throws {ApiError} if the API refuses it, if it is empty, or if a new type is already declared
 */
export async function declareResourceType(
  service_name: string,
  declaration: Declaration,
  current: ResourceType | undefined,
): Promise<void> {
  const { resource_type, description, allow_public, roles } = declaration
  if (!resource_type) throw invalid('resource_type', 'is required')
  if (!description && !allow_public && roles.length === 0)
    throw invalid('description', 'is required without roles')
  if (!current) {
    // The API would replace the declaration.
    const existing = await readResourceType({ service_name, resource_type })
    if (existing) throw invalid('resource_type', 'is already declared')
  }
  await put({ ...current, service_name, ...declaration }, false)
  await refreshResourceTypes()
}

export async function removeResourceType(type: ResourceType): Promise<void> {
  const { service_name, resource_type } = type
  const params = { path: { service_name, resource_type } }
  await unwrap(api.DELETE('/admin/resource-types/{service_name}/{resource_type}', { params }))
  await refreshResourceTypes()
}

/** The fields of a declaration that the console does not show remain as they are. */
function put(type: Declared, dry_run: boolean): Promise<ResourceType> {
  const { service_name, resource_type, description, allow_public, roles } = type
  const conditions = (type.conditions ?? []).map(({ parameters, ...condition }) => ({
    ...condition,
    // The generated type of an object with any members has none.
    parameters: parameters as Record<string, never>,
  }))
  const requirements = type.requirements ?? []
  const body = { description, allow_public, roles, conditions, requirements }
  const params = { path: { service_name, resource_type }, query: { dry_run } }
  return unwrap(api.PUT('/admin/resource-types/{service_name}/{resource_type}', { params, body }))
}

function invalid(field: string, message: string): ApiError {
  return new ApiError(422, { errors: [{ field, message }] })
}

function refreshResourceTypes(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ['resource-types'] })
}
