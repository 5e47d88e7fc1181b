import { queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../api/client.ts'
import { definedOnly } from '../api/defined-only.ts'
import { queryClient } from '../api/query-client.ts'

export type Resource = Schemas['ResourcePermissionResponse']
export type ResourceSummary = Schemas['PermissionSummary']
export type Share = Schemas['ShareResponse']
export type AccessReason = Schemas['AccessReason']

export type ResourceFilters = {
  workspace_id?: string | undefined
  service_name?: string | undefined
  resource_type?: string | undefined
  /** The ID that the service uses: an external ID or a UUID. */
  external_id?: string | undefined
  owner_id?: string | undefined
  /** The user or group with whom it is shared directly. */
  grantee_id?: string | undefined
  /** Whether that includes what is shared with the groups of a user. */
  effective?: boolean | undefined
  visibility?: 'private' | 'workspace' | 'public' | undefined
  page?: number | undefined
  page_size?: number | undefined
}

export function resourcesQuery(filters: ResourceFilters) {
  const query = definedOnly(filters)
  return queryOptions({
    queryKey: ['resources', 'list', query],
    queryFn: ({ signal }) => unwrap(api.GET('/admin/permissions', { params: { query }, signal })),
  })
}

export function resourceQuery(permissionId: string) {
  return queryOptions({
    queryKey: ['resources', 'detail', permissionId],
    queryFn: () =>
      unwrap(
        api.GET('/admin/permissions/{permission_id}', {
          params: { path: { permission_id: permissionId } },
        }),
      ),
  })
}

/** Who asks for which action on a resource, with the context of the request as JSON. */
export type Question = { userId: string; action: string; context: string | undefined }

export function explanationQuery(permissionId: string, question: Question) {
  const { userId, action, context } = question
  const query = { user_id: userId, action, ...definedOnly({ context }) }
  return queryOptions({
    queryKey: ['resources', 'explanation', permissionId, query],
    queryFn: () =>
      unwrap(
        api.GET('/admin/permissions/{permission_id}/explain', {
          params: { path: { permission_id: permissionId }, query },
        }),
      ),
  })
}

/** The assumptions, in the format of the API. */
export type Assumption = NonNullable<Schemas['WhatIfRequest']['with']>[number]

/** Explains a decision as if the assumptions were facts. Nothing is stored. */
export function whatIfQuery(permissionId: string, question: Question, assumed: Assumption[]) {
  const { userId, action, context } = question
  const body = {
    subject: { type: 'user' as const, id: userId },
    action,
    with: assumed,
    // The generated type of an object with any members has none.
    ...(context && { context: JSON.parse(context) as Record<string, never> }),
  }
  return queryOptions({
    queryKey: ['resources', 'what-if', permissionId, body],
    queryFn: () =>
      unwrap(
        api.POST('/admin/permissions/{permission_id}/what-if', {
          params: { path: { permission_id: permissionId } },
          body,
        }),
      ),
    enabled: assumed.length > 0,
  })
}

export function subjectsQuery(
  permissionId: string,
  { action, context }: Omit<Question, 'userId'>,
  pageToken: string | undefined,
) {
  const query = definedOnly({ action, context, page_size: 20, page_token: pageToken })
  return queryOptions({
    queryKey: ['resources', 'subjects', permissionId, query],
    queryFn: () =>
      unwrap(
        api.GET('/admin/permissions/{permission_id}/subjects', {
          params: { path: { permission_id: permissionId }, query },
        }),
      ),
  })
}

/** Reloads everything that shows resources, after a change. */
export function refreshResources(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ['resources'] })
}

/** Returns the name of a resource, which is the ID that its service uses, if any. */
export function nameResource(resource: {
  resource_type: string
  resource_id: string
  external_id: string | null
  display_name?: string | null
}): string {
  return `${resource.resource_type} ${titleOf(resource)}`
}

/** Returns the display name of a resource, or the ID that its service uses. */
export function titleOf(resource: {
  resource_id: string
  external_id: string | null
  display_name?: string | null
}): string {
  return resource.display_name ?? keyOf(resource)
}

/** Returns the ID that the service of a resource uses. */
export function keyOf(resource: { resource_id: string; external_id: string | null }): string {
  return resource.external_id ?? resource.resource_id
}
