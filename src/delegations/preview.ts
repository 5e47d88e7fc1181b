import type {
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
import type { Engine } from '../permissions/engine/engine.ts'
import { resourceNotFound } from '../permissions/resource.ts'
import type { Resource } from '../permissions/store/resource-sql.ts'
import type { ResourceStore } from '../permissions/store/resource-store.ts'
import { findListViolations, findVisibleResources, toKeys } from './delegated-resources.ts'
import { reasons } from './reasons.ts'
import type { DelegationPreviewStore, OwnWorkspace, PossibleAgent } from './store/preview-store.ts'

type Stores = Pick<IdentityPorts, 'sessionScope'> & {
  delegationPreviews: DelegationPreviewStore
  resources: ResourceStore
}

type Context = RequestContext<Stores> & { engine: Pick<Engine, 'loadBits'> }

/**
 * Returns what the user sees before making a delegation that an agent asks for.
 *
 * @throws ServiceError `not_found` if the user has no workspace in which the agent could act, or may not view
 * one of the resources, `permission_denied` if the workspaces allow no delegations, `invalid_argument` if
 * `return_to` is no redirect URI of the agent
 */
export async function previewDelegation(
  context: Context,
  request: PreviewDelegationRequest,
): Promise<DelegationPreview> {
  const { stores, principal, now } = context
  const violations = findListViolations(request.service_name, request)
  if (violations.length > 0) throw invalidArgument(...violations)
  const user = requireUser(principal)
  const { service_name, actions, resource_types, reason, return_to } = request
  const agent = await stores.delegationPreviews.findAgent(request.agent_id)
  if (!agent) throw new ServiceError(reasons.AGENT_NOT_FOUND)
  const own = await listReached(stores, user, agent)
  if (own.length === 0) throw new ServiceError(reasons.AGENT_NOT_FOUND)
  if (return_to !== undefined) requireRedirectUri(agent, return_to)
  const allowing = own.filter(({ isAllowed }) => isAllowed)
  if (allowing.length === 0) throw new ServiceError(reasons.DELEGATIONS_OFF)
  const resources =
    request.resources && (await requireResources(context, user.id, request, allowing))
  const workspaceId = resources?.[0]?.workspaceId
  const host = hostOf(return_to === undefined ? agent.redirectUris : [return_to])
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

/** Returns the resources, which must be visible to the user and all in one of the workspaces. */
async function requireResources(
  { stores, engine }: Context,
  userId: string,
  { service_name: serviceName, resources }: PreviewDelegationRequest,
  workspaces: OwnWorkspace[],
): Promise<Resource[]> {
  const references = resources?.values ?? []
  const [first] = await stores.resources.findAll(toKeys(serviceName, references.slice(0, 1)))
  const workspace = workspaces.find(({ id }) => id === first?.workspaceId)
  const place = workspace && { userId, workspaceId: workspace.id }
  const sources = { resources: stores.resources, engine }
  const visible = place && (await findVisibleResources(sources, place, serviceName, references))
  if (!visible) throw resourceNotFound()
  return visible
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

/** Returns the first host that is not the computer of the user. */
function hostOf(urls: string[]): string | undefined {
  const url = urls.find((one) => !isLoopbackUrl(one))
  return url && new URL(url).host
}
