import type {
  DelegatedResourceReference,
  DelegationPreview,
  NamedResource,
  PreviewDelegationRequest,
} from '../../gen/daikon/v1/delegations.ts'
import { invalidArgument, ServiceError } from '../core/errors.ts'
import { isLoopbackUrl } from '../core/loopback.ts'
import { type RequestContext, requireUser, type UserPrincipal } from '../core/request-context.ts'
import { isoTime } from '../database/sql-values.ts'
import type { IdentityPorts } from '../identity/ports.ts'
import { connectionName } from '../identity/providers/connection.ts'
import { listMatchingUris } from '../identity/redirect-uris.ts'
import { resourceNotFound } from '../permissions/resource.ts'
import { resolveResourceId } from '../permissions/resource-id.ts'
import { findRight } from '../permissions/rights.ts'
import type { Resource } from '../permissions/store/resource-sql.ts'
import type { ResourceStore } from '../permissions/store/resource-store.ts'
import { reasons } from './reasons.ts'
import type { DelegationPreviewStore, OwnWorkspace, PossibleAgent } from './store/preview-store.ts'

type Stores = Pick<IdentityPorts, 'sessionScope'> & {
  delegationPreviews: DelegationPreviewStore
  resources: ResourceStore
}

/**
 * Returns what the user sees before making a delegation that an agent asks for.
 *
 * @throws ServiceError `not_found` if the user has no workspace in which the agent could act, or may not view
 * one of the resources, `permission_denied` if the workspaces allow no delegations, `invalid_argument` if
 * `return_to` is no redirect URI of the agent
 */
export async function previewDelegation(
  { stores, principal, now }: RequestContext<Stores>,
  request: PreviewDelegationRequest,
): Promise<DelegationPreview> {
  const user = requireUser(principal)
  const { service_name, actions, resource_types, reason, return_to } = request
  const agent = await stores.delegationPreviews.findAgent(request.agent_id)
  if (!agent) throw new ServiceError(reasons.AGENT_NOT_FOUND)
  const own = await listReached(stores, user, agent)
  if (own.length === 0) throw new ServiceError(reasons.AGENT_NOT_FOUND)
  if (return_to !== undefined) requireRedirectUri(agent, return_to)
  const allowing = own.filter(({ isAllowed }) => isAllowed)
  if (allowing.length === 0) throw new ServiceError(reasons.DELEGATIONS_OFF)
  const references = request.resources?.values
  const resources = references && (await requireResources(stores, user, request, allowing))
  const workspaceId = resources?.[0]?.workspaceId
  const host = hostOf(return_to ?? agent.redirectUris[0])
  return {
    agent: { type: agent.type, id: agent.id, name: agent.name },
    ...(host !== undefined && { host }),
    workspaces: allowing
      .filter(({ id }) => workspaceId === undefined || id === workspaceId)
      .sort((a, b) => Number(b.id === user.workspaceId) - Number(a.id === user.workspaceId))
      .map(({ id, name }) => ({ id, name })),
    service_name,
    actions: actions && { values: actions.values },
    resource_types: resource_types && { values: resource_types.values },
    resources: resources && { values: resources.map(viewResource) },
    reason,
    expires_at: isoTime(new Date(now.getTime() + request.expires_in * 1000)),
    ...(return_to !== undefined && { return_to }),
  }
}

/** Returns the user's workspaces in which the agent could act and the session may be used. */
async function listReached(
  { delegationPreviews, sessionScope }: Stores,
  { id: userId, connectionId }: UserPrincipal,
  { workspaceId }: PossibleAgent,
): Promise<OwnWorkspace[]> {
  const own = await delegationPreviews.listWorkspaces(userId, workspaceId)
  if (connectionId === undefined) return own
  return sessionScope.filter({ userId, provider: connectionName(connectionId) }, own)
}

/** Returns the resources, which must be in one of the workspaces and visible to the user. */
async function requireResources(
  { resources }: Stores,
  { id }: UserPrincipal,
  { service_name: serviceName, resources: list }: PreviewDelegationRequest,
  workspaces: OwnWorkspace[],
): Promise<Resource[]> {
  const keys = (list?.values ?? []).map((reference) => toKey(serviceName, reference))
  const found = await resources.findAll(keys)
  const workspace = workspaces.find((one) => one.id === found[0]?.workspaceId)
  return Promise.all(
    found.map(async (resource) => {
      if (!resource || !workspace || resource.workspaceId !== workspace.id) throw resourceNotFound()
      const { role, isGuest } = workspace
      const right = await findRight(resources, { id, role, isGuest }, resource, 'view', undefined)
      if (!right.isAllowed) throw resourceNotFound()
      return resource
    }),
  )
}

function toKey(
  serviceName: string,
  { resource_type: resourceType, resource_id, external_id }: DelegatedResourceReference,
) {
  const kind = { serviceName, resourceType }
  return { ...kind, resourceId: resolveResourceId(kind, { resource_id, external_id }) }
}

function viewResource(resource: Resource): NamedResource {
  const { resourceType, resourceId, externalId, displayName } = resource
  return {
    resource_type: resourceType,
    resource_id: resourceId,
    ...(externalId !== null && { external_id: externalId }),
    ...(displayName !== null && { display_name: displayName }),
  }
}

function requireRedirectUri({ redirectUris }: PossibleAgent, uri: string): void {
  if (listMatchingUris(uri).some((one) => redirectUris.includes(one))) return
  throw invalidArgument({ field: 'return_to', message: 'must be a redirect URI of the agent' })
}

/** Returns the host of a URL, or undefined if it is a program on the computer of the user. */
function hostOf(url: string | undefined): string | undefined {
  return url === undefined || isLoopbackUrl(url) ? undefined : new URL(url).host
}
