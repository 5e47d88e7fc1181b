import { queryOptions } from '@tanstack/react-query'
import { ApiError } from '../api/api-error.ts'
import { api, unwrap } from '../api/client.ts'
import { queryClient } from '../api/query-client.ts'
import { type DeclarationFields, type ResourceType, toConditions } from './declaration-form.ts'

type Key = Pick<ResourceType, 'service_name' | 'resource_type'>

/** What an administrator edits. */
export type Declaration = Omit<
  ResourceType,
  'roles_used' | 'conditions_used' | 'resources' | 'resources_below'
>

export const resourceTypesQuery = queryOptions({
  queryKey: ['resource-types'],
  queryFn: () => unwrap(api.GET('/admin/resource-types')),
})

/** Counts the resources of a type, and the shares with each of its roles and conditions. */
export function usesQuery(type: ResourceType) {
  return queryOptions({
    queryKey: ['resource-types', 'uses', type.service_name, type.resource_type],
    queryFn: async () => {
      const { resources, roles_used, conditions_used } = await put(type, true)
      return {
        resources: resources ?? 0,
        roles: (roles_used ?? {}) as Record<string, number>,
        conditions: (conditions_used ?? {}) as Record<string, number>,
      }
    },
    // Shares change while the page is open.
    staleTime: 0,
  })
}

/** Counts what inherits from resources of the type. Fails while the declaration is not complete. */
export function belowQuery(type: Declaration) {
  return queryOptions({
    queryKey: ['resource-types', 'below', type],
    queryFn: async () => (await put(type, true)).resources_below ?? 0,
    enabled: type.resource_type !== '' && type.requirements.length > 0,
    retry: false,
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
  fields: DeclarationFields,
  current: ResourceType | undefined,
): Promise<void> {
  const { resource_type, description, allow_public, roles, conditions, requirements } = fields
  if (!resource_type) throw invalid('resource_type', 'is required')
  const isEmpty = [roles, conditions, requirements].every((list) => list.length === 0)
  if (!description && !allow_public && isEmpty)
    throw invalid('description', 'is required without roles and conditions')
  requireDistinctParameters(conditions)
  if (!current) {
    // The API would replace the declaration.
    const existing = await readResourceType({ service_name, resource_type })
    if (existing) throw invalid('resource_type', 'is already declared')
  }
  await put({ ...fields, service_name, conditions: toConditions(conditions) }, false)
  await refreshResourceTypes()
}

/** The API has parameters by their names, so it cannot notice a name that occurs twice. */
function requireDistinctParameters(conditions: DeclarationFields['conditions']): void {
  for (const [index, { parameters }] of conditions.entries()) {
    const names = parameters.map(({ name }) => name)
    const second = names.findIndex((name, position) => names.indexOf(name) < position)
    if (second !== -1) throw invalid(`conditions[${index}].parameters[${second}]`, 'is duplicated')
  }
}

export async function removeResourceType(type: ResourceType): Promise<void> {
  const { service_name, resource_type } = type
  const params = { path: { service_name, resource_type } }
  await unwrap(api.DELETE('/admin/resource-types/{service_name}/{resource_type}', { params }))
  await refreshResourceTypes()
}

function put(type: Declaration, dry_run: boolean): Promise<ResourceType> {
  const { service_name, resource_type, description, allow_public, roles, requirements } = type
  const conditions = type.conditions.map(({ parameters, ...condition }) => ({
    ...condition,
    // The generated type of an object with any members has none.
    parameters: parameters as Record<string, never>,
  }))
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
