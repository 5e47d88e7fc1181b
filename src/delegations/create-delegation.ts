import type { CreateDelegationRequest, Delegation } from '../../gen/daikon/v1/delegations.ts'
import { actorOf } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { type FieldViolation, invalidArgument, ServiceError } from '../core/errors.ts'
import { newId } from '../core/new-id.ts'
import { quotaExceeded } from '../core/quotas.ts'
import { type RequestContext, requireUser } from '../core/request-context.ts'
import type { RolloutStore } from '../database/rollout-store.ts'
import type { IdentityDependencies } from '../identity/identity-dependencies.ts'
import type { IdentityPorts } from '../identity/ports.ts'
import type { SessionStore } from '../identity/store/session-store.ts'
import type { UserStore } from '../identity/store/user-store.ts'
import { userInactive } from '../identity/user-errors.ts'
import type { Engine } from '../permissions/engine/engine.ts'
import { resourceNotFound } from '../permissions/resource.ts'
import type { ResourceStore } from '../permissions/store/resource-store.ts'
import { workspaceNotFound } from '../workspaces/workspaces.ts'
import { findListViolations, findVisibleResources } from './delegated-resources.ts'
import { delegationDetail } from './delegation-event.ts'
import { renderDelegationMail } from './mails.ts'
import { reasons } from './reasons.ts'
import type { DelegationSettings } from './settings.ts'
import type { Agent, DelegationStore, StoredDelegation } from './store/delegation-store.ts'
import { viewDelegation } from './view.ts'

/** The migration that adds delegations. */
const delegationMigration = 105

const maxDays = 90

type Stores = Pick<IdentityPorts, 'sessionScope' | 'signInWorkspaces'> & {
  activity: ActivityStore
  delegations: DelegationStore
  resources: ResourceStore
  rollout: RolloutStore
  sessions: SessionStore
  users: UserStore
}

type Context = RequestContext<Stores> & {
  engine: Pick<Engine, 'loadBits'>
  identity: Pick<IdentityDependencies, 'sendMail' | 'settings'>
  settings: DelegationSettings
}

/** Lets an agent act for the user in a workspace, within limits and until a time, and sends them an e-mail. */
export async function createDelegation(
  context: Context,
  request: CreateDelegationRequest,
): Promise<Delegation> {
  const { stores, engine, principal, now, identity, settings } = context
  const { service_name: serviceName, actions, resource_types, resources, reason } = request
  const violations = findViolations(request, now)
  if (violations.length > 0) throw invalidArgument(...violations)
  const { id: userId, token, ...user } = requireUser(principal)
  const workspaceId = request.workspace_id ?? user.workspaceId
  const agent = request.agent as Agent
  const visible = await findVisibleResources(
    { resources: stores.resources, engine },
    { userId, workspaceId },
    serviceName,
    resources?.values ?? [],
  )
  const { created, to, workspaceName } = await stores.transaction(async (tx) => {
    const isAllowed = await tx.delegations.lockPerson(userId, workspaceId)
    if (isAllowed === undefined) throw workspaceNotFound()
    const session = await tx.sessions.findByAccessToken(token.id)
    if (!session) throw userInactive()
    await tx.sessionScope.require({ userId, provider: session.provider }, workspaceId)
    if (!isAllowed) throw new ServiceError(reasons.DELEGATIONS_OFF)
    const agentName = await tx.delegations.lockAgent(agent, workspaceId)
    if (agentName === undefined) throw new ServiceError(reasons.AGENT_NOT_FOUND)
    if (!visible) throw resourceNotFound()
    await tx.rollout.requireAllNodesKnow(delegationMigration, 'A delegation')
    if ((await tx.delegations.count(userId)) >= settings.MAX_DELEGATIONS_PER_USER)
      throw quotaExceeded(settings, 'MAX_DELEGATIONS_PER_USER')
    await tx.delegations.keepService(serviceName)
    const id = newId()
    await tx.delegations.insert({
      ...{ id, userId, workspaceId, serviceName, reason },
      ...{ agentType: agent.type, agentId: agent.id, agentName },
      actions: actions?.values ?? null,
      resourceTypes: resource_types?.values ?? null,
      resources: resources ? visible.map((resource) => resource.id) : null,
      createdAt: now,
      expiresAt: new Date(request.expires_at as string),
    })
    const created = await requireCreated(tx.delegations, id)
    await tx.activity.record(actorOf(principal), {
      action: 'delegation.created',
      targetId: id,
      workspaceId,
      detail: delegationDetail(created),
    })
    const { email: to } = await tx.users.requireProfile(userId)
    return { created, to, workspaceName: await tx.signInWorkspaces.findName(workspaceId) }
  })
  const { BASE_URL: baseUrl } = identity.settings
  identity.sendMail(renderDelegationMail(to, created, workspaceName ?? '', baseUrl))
  return viewDelegation(created)
}

/** Returns what is wrong with the lists and the end of a new delegation. */
function findViolations(
  { service_name, actions, resource_types, resources, expires_at }: CreateDelegationRequest,
  now: Date,
): FieldViolation[] {
  const end = new Date(expires_at as string).getTime()
  const latest = now.getTime() + maxDays * 24 * 60 * 60_000
  const ofEnd =
    end <= now.getTime()
      ? 'must be in the future'
      : end > latest && `must be at most ${maxDays} days in the future`
  const lists = { actions, resource_types, resources }
  return [
    ...findListViolations(service_name, lists),
    ...(ofEnd ? [{ field: 'expires_at', message: ofEnd }] : []),
  ]
}

async function requireCreated(delegations: DelegationStore, id: string): Promise<StoredDelegation> {
  const [created] = await delegations.list({ id })
  // The clock of the database is ahead of that of the node.
  if (!created) throw invalidArgument({ field: 'expires_at', message: 'must be in the future' })
  return created
}
