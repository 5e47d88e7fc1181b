import { queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../api/client.ts'
import { queryClient } from '../api/query-client.ts'

export type Connection = Schemas['ConnectionResponse']
export type ConnectionDomain = Schemas['ConnectionDomainResponse']
export type IssuerConfiguration = Schemas['IssuerConfiguration']

const connectionPath = '/admin/workspaces/{workspace_id}/connections/{connection_id}'

export function connectionsQuery(workspaceId: string) {
  return queryOptions({
    queryKey: ['connections', 'list', workspaceId],
    queryFn: () =>
      unwrap(
        api.GET('/admin/workspaces/{workspace_id}/connections', {
          params: { path: { workspace_id: workspaceId } },
        }),
      ),
  })
}

export function connectionQuery(id: ConnectionId) {
  return queryOptions({
    queryKey: ['connections', 'detail', id.workspace_id, id.id],
    queryFn: () => readConnection(id),
  })
}

/** Identifies a connection of a workspace. */
export type ConnectionId = Pick<Connection, 'workspace_id' | 'id'>

export function readConnection(id: ConnectionId): Promise<Connection> {
  return unwrap(api.GET(connectionPath, { params: pathOf(id) }))
}

/**
 * Reads what an issuer publishes about itself.
 *
 * @throws {ApiError} if no connection to it is possible, with the reason at the field `issuer`
 */
export function discoverIssuer(workspaceId: string, issuer: string): Promise<IssuerConfiguration> {
  return unwrap(
    api.POST('/admin/workspaces/{workspace_id}/connections/discover', {
      params: { path: { workspace_id: workspaceId } },
      body: { issuer },
    }),
  )
}

export async function createConnection(
  workspaceId: string,
  body: Schemas['ConnectionCreateRequest'],
): Promise<Connection> {
  const created = await unwrap(
    api.POST('/admin/workspaces/{workspace_id}/connections', {
      params: { path: { workspace_id: workspaceId } },
      body,
    }),
  )
  await refreshConnections()
  return created
}

export async function updateConnection(
  id: ConnectionId,
  body: Schemas['ConnectionUpdateRequest'],
): Promise<void> {
  await unwrap(api.PATCH(connectionPath, { params: pathOf(id), body }))
  await refreshConnections()
}

export async function deleteConnection(id: ConnectionId): Promise<void> {
  await unwrap(api.DELETE(connectionPath, { params: pathOf(id) }))
}

/**
 * Looks for the TXT record of a domain.
 *
 * @throws {ApiError} if it was not found
 */
export async function verifyDomain(id: ConnectionId, domain: string): Promise<void> {
  const { path } = pathOf(id)
  await unwrap(
    api.POST(`${connectionPath}/domains/{domain}/verify`, {
      params: { path: { ...path, domain } },
    }),
  )
  await refreshConnections()
}

function pathOf({ id, workspace_id }: ConnectionId) {
  return { path: { workspace_id, connection_id: id } }
}

/** Reloads everything that shows connections, after a change. */
export function refreshConnections(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ['connections'] })
}
