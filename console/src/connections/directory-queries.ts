import { queryOptions } from '@tanstack/react-query'
import { ApiError } from '../api/api-error.ts'
import { api, type Schemas, unwrap } from '../api/client.ts'
import { queryClient } from '../api/query-client.ts'

export type ScimToken = Schemas['ScimTokenResponse']
export type Deactivations = Schemas['ScimDeactivations']

const tokenPath = '/workspaces/{workspace_id}/scim-token'

/** Milliseconds after which the page asks again what the directory does. */
const interval = 10_000

/** The SCIM token of a workspace and what its directory does; null without a token. */
export function directoryQuery(workspaceId: string) {
  return queryOptions({
    queryKey: ['directory', workspaceId],
    queryFn: (): Promise<ScimToken | null> =>
      unwrap(api.GET(tokenPath, { params: pathOf(workspaceId) })).catch(toNull),
    refetchInterval: interval,
  })
}

function toNull(error: unknown): null {
  if (error instanceof ApiError && error.reason === 'SCIM_TOKEN_NOT_FOUND') return null
  throw error
}

/** Creates the SCIM token, which replaces the previous one, and returns it. */
export async function createScimToken(workspaceId: string): Promise<string> {
  const { token } = await unwrap(api.POST(tokenPath, { params: pathOf(workspaceId) }))
  await refreshDirectory()
  return token
}

export async function revokeScimToken(workspaceId: string): Promise<void> {
  await unwrap(api.DELETE(tokenPath, { params: pathOf(workspaceId) }))
  await refreshDirectory()
}

/** Lets the directory end any number of memberships for an hour. */
export async function confirmDeactivations(workspaceId: string): Promise<void> {
  await unwrap(
    api.POST('/workspaces/{workspace_id}/scim-confirmation', {
      params: pathOf(workspaceId),
    }),
  )
  await refreshDirectory()
}

function pathOf(workspaceId: string) {
  return { path: { workspace_id: workspaceId } }
}

function refreshDirectory(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ['directory'] })
}
