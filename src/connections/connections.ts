import { randomBytes } from 'node:crypto'
import type {
  ConnectionCreateRequest,
  ConnectionDeleteRequest,
  ConnectionRequest,
  ConnectionResponse,
  ListConnectionsResponse,
} from '../../gen/daikon/v1/connections.ts'
import type { DeleteResponse, WorkspaceRequest } from '../../gen/daikon/v1/workspaces.ts'
import { actorOf, userIdOf } from '../activity/actor.ts'
import { requireMatch } from '../core/entity-tag.ts'
import { type FieldViolation, invalidArgument } from '../core/errors.ts'
import { newId } from '../core/new-id.ts'
import type { DiscoveryDocument } from '../identity/providers/documents.ts'
import { requireGuestSupport } from '../workspaces/guests.ts'
import { lockWorkspace } from '../workspaces/member-rules.ts'
import type { GroupStore } from '../workspaces/store/group-store.ts'
import { requireWorkspaceExists } from '../workspaces/workspaces.ts'
import type { ConnectionContext, ConnectionStores, ReadContext } from './connection-context.ts'
import {
  connectionNotFound,
  enforcementNotReady,
  findDomainViolations,
  findIssuerViolations,
  maxConnections,
  readDomain,
  readMapping,
  secretContext,
  tooManyConnections,
} from './connection-rules.ts'
import { describeConnection, tagOf, toResponse, toTaggedResponse } from './connection-view.ts'
import { endConnectionSessions } from './end-sessions.ts'
import { type ConnectionMapping, type DefaultRole, givesGuests } from './mapping.ts'
import type { ConnectionId, StoredConnection } from './store/connection-store.ts'

/** The migration that adds connections. */
const connectionMigration = 69

/** Lists the connections of a workspace, oldest first. */
export async function listConnections(
  { stores, baseUrl }: ReadContext,
  { workspace_id: workspaceId }: WorkspaceRequest,
): Promise<ListConnectionsResponse> {
  const connections = await stores.connections.list(workspaceId)
  if (connections.length === 0) await requireWorkspaceExists(stores.workspaces, workspaceId)
  const domains = await stores.connectionDomains.list(connections.map(({ id }) => id))
  return {
    connections: connections.map((connection) => {
      const own = domains.filter(({ connectionId }) => connectionId === connection.id)
      return toResponse(connection, own, baseUrl)
    }),
  }
}

/** Returns a connection. */
export async function getConnection(
  { stores, baseUrl }: ReadContext,
  request: ConnectionRequest,
): Promise<ConnectionResponse> {
  const connection = await stores.connections.find(idOf(request))
  if (!connection) throw connectionNotFound()
  return toTaggedResponse(connection, await stores.connectionDomains.list([connection.id]), baseUrl)
}

/** Creates a connection whose provider can be discovered. Its domains are not verified. */
export async function createConnection(
  { stores, principal, connectionProviders, secretBox, baseUrl }: ConnectionContext,
  { workspace_id, client_secret, default_role = 'viewer', ...request }: ConnectionCreateRequest,
): Promise<ConnectionResponse> {
  const { name, issuer, client_id: clientId, scopes, domains, enforced = false } = request
  const { is_active: isActive = true, break_glass: breakGlass = true } = request
  const { mapping, violations } = readMapping(request.mapping ?? {})
  await requireUsableIssuer(connectionProviders, issuer, [
    ...findDomainViolations(domains),
    ...violations,
  ])
  if (enforced) throw enforcementNotReady()
  const id = newId()
  const actor = actorOf(principal)
  const secret = secretBox.encrypt(client_secret, secretContext(id))
  const provider = { name: name.trim(), issuer, clientId, scopes: withOpenid(scopes) }
  const flags = { isActive, enforced, breakGlass }
  const settings = { ...provider, ...flags, defaultRole: default_role as DefaultRole, mapping }
  return stores.transaction(async (tx) => {
    const workspaceId = await lockWorkspace(tx.workspaces, workspace_id)
    await tx.rollout.requireAllNodesKnow(connectionMigration, 'A connection')
    if (givesGuests(mapping)) await requireGuestSupport(tx.rollout)
    if ((await tx.connections.count(workspaceId)) >= maxConnections) throw tooManyConnections()
    await requireGroups(tx.groups, workspaceId, mapping)
    await tx.connections.insert({ id, workspaceId }, settings, secret, userIdOf(actor))
    await addDomains(tx, { id, workspaceId }, domains)
    const connection = await requireConnection(tx, { id, workspaceId })
    const own = await tx.connectionDomains.list([id])
    const detail = describeConnection(connection, own)
    await tx.activity.record(actor, {
      action: 'connection.created',
      targetId: id,
      workspaceId,
      detail,
    })
    return toTaggedResponse(connection, own, baseUrl)
  })
}

/** Deletes a connection, and ends its sessions. */
export async function deleteConnection(
  { stores, principal, now }: ReadContext,
  { if_match, ...request }: ConnectionDeleteRequest,
): Promise<DeleteResponse> {
  return stores.transaction(async (tx) => {
    const connection = await requireConnection(tx, idOf(request))
    const { id, workspaceId, name, issuer } = connection
    requireMatch(if_match, tagOf(connection, await tx.connectionDomains.list([id])))
    await tx.connections.delete(connection)
    await endConnectionSessions(tx, id, now)
    const event = { action: 'connection.deleted', targetId: id, workspaceId } as const
    await tx.activity.record(actorOf(principal), { ...event, detail: { name, issuer } })
    return {}
  })
}

/**
 * Returns what an issuer publishes. Throws if it cannot be used, or if there are other violations,
 * without asking it.
 */
export async function requireUsableIssuer(
  { hosts, inspect }: ConnectionContext['connectionProviders'],
  issuer: string,
  others: FieldViolation[],
): Promise<DiscoveryDocument> {
  const violations = [...findIssuerViolations(issuer, hosts), ...others]
  if (violations.length > 0) throw invalidArgument(...violations)
  const inspection = await inspect(issuer)
  if ('server' in inspection) return inspection.server
  throw invalidArgument({ field: 'issuer', message: inspection.problem })
}

/** Throws unless the workspace has the groups of a mapping. */
export async function requireGroups(
  groups: GroupStore,
  workspaceId: string,
  mapping: ConnectionMapping,
): Promise<void> {
  const violations: FieldViolation[] = []
  for (const [value, id] of Object.entries(mapping.groups)) {
    if (await groups.find(id, workspaceId)) continue
    const field = `mapping.groups.${value}`
    violations.push({ field, message: 'must be the ID of a group of the workspace' })
  }
  if (violations.length > 0) throw invalidArgument(...violations)
}

/** Adds domains, which are not verified, unless the connection has them. */
export async function addDomains(
  tx: Pick<ConnectionStores, 'connectionDomains'>,
  id: ConnectionId,
  domains: string[],
): Promise<void> {
  for (const domain of new Set(domains.map((name) => readDomain(name) as string))) {
    const token = randomBytes(24).toString('base64url')
    await tx.connectionDomains.add(id, domain, token)
  }
}

/** Locks and returns a connection, so that concurrent changes run one after the other. */
export async function requireConnection(
  { connections }: Pick<ConnectionStores, 'connections'>,
  id: ConnectionId,
): Promise<StoredConnection> {
  const connection = await connections.lock(id)
  if (!connection) throw connectionNotFound()
  return connection
}

export function idOf(request: { workspace_id: string; connection_id: string }): ConnectionId {
  return {
    workspaceId: request.workspace_id,
    id: request.connection_id,
  }
}

/** Returns the scopes with `openid`, or the default ones if there are none. */
export function withOpenid(scopes: string[]): string[] {
  return [...new Set(['openid', ...(scopes.length > 0 ? scopes : ['email', 'profile'])])]
}
