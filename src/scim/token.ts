import type {
  DeleteResponse,
  NewScimToken,
  ScimConfirmation,
  ScimTokenResponse,
  WorkspaceRequest,
} from '../../gen/daikon/v1/workspaces.ts'
import { actorOf } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import type { ConnectionDomainStore } from '../connections/store/connection-domain-store.ts'
import { ServiceError } from '../core/errors.ts'
import { newId } from '../core/new-id.ts'
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import { isoTime } from '../database/sql-values.ts'
import { hashSecret } from '../identity/secret.ts'
import { lockWorkspace } from '../workspaces/member-rules.ts'
import type { WorkspaceStore } from '../workspaces/store/workspace-store.ts'
import { describeDeactivations, endOfConfirmation } from './guard.ts'
import { reasons } from './reasons.ts'
import { createScimToken, scimTokenPrefix } from './scim-tokens.ts'
import type { ScimGuardStore } from './store/scim-guard-store.ts'
import type { ScimTokenStore } from './store/scim-token-store.ts'
import type { ScimUserStore } from './store/scim-user-store.ts'

type Stores = { activity: ActivityStore; scimTokens: ScimTokenStore; workspaces: WorkspaceStore }

/** Describes the SCIM token of a workspace, and what the directory has done. */
export async function getScimToken(
  {
    stores,
    now,
  }: RequestContext<Stores & { scimGuards: ScimGuardStore; scimUsers: ScimUserStore }>,
  { workspace_id }: WorkspaceRequest,
): Promise<ScimTokenResponse> {
  const token = await stores.scimTokens.find(workspace_id)
  if (!token) throw new ServiceError(reasons.SCIM_TOKEN_NOT_FOUND)
  const { prefix, createdAt, lastUsedAt } = token
  const { active, inactive, changedAt } = await stores.scimUsers.summarize(workspace_id)
  const deactivations = await describeDeactivations(stores.scimGuards, workspace_id, now)
  return {
    prefix,
    created_at: isoTime(createdAt),
    ...(lastUsedAt && { last_used_at: isoTime(lastUsedAt) }),
    active_user_count: active,
    inactive_user_count: inactive,
    ...(changedAt && { last_change_at: isoTime(changedAt) }),
    ...(deactivations && { deactivations }),
  }
}

/** Creates the SCIM token of a workspace, which replaces the previous one. */
export async function createToken(
  { stores, principal, now }: RequestContext<Stores & { connectionDomains: ConnectionDomainStore }>,
  request: WorkspaceRequest,
): Promise<NewScimToken> {
  const token = createScimToken()
  const prefix = scimTokenPrefix(token)
  return stores.transaction(async (tx) => {
    const workspaceId = await lockWorkspace(tx.workspaces, request.workspace_id)
    if (!(await tx.connectionDomains.hasVerified(workspaceId)))
      throw new ServiceError(reasons.NO_VERIFIED_DOMAIN)
    const hash = hashSecret(token)
    await tx.scimTokens.replace({ id: newId(), workspaceId, hash, prefix, createdAt: now })
    await tx.activity.record(actorOf(principal), {
      action: 'scim.token_created',
      targetId: workspaceId,
      workspaceId,
      detail: { key_prefix: prefix },
    })
    return { token, created_at: now.toISOString() }
  })
}

/** Ends the SCIM token of a workspace. From the response on, no node accepts it. */
export async function deleteToken(
  { stores, principal }: WriteContext<Stores>,
  request: WorkspaceRequest,
): Promise<DeleteResponse> {
  return stores.transaction(async (tx) => {
    const workspaceId = await lockWorkspace(tx.workspaces, request.workspace_id)
    const ended = await tx.scimTokens.end(workspaceId)
    if (!ended) throw new ServiceError(reasons.SCIM_TOKEN_NOT_FOUND)
    await tx.activity.record(actorOf(principal), {
      action: 'scim.token_deleted',
      targetId: workspaceId,
      workspaceId,
      detail: { key_prefix: ended.prefix },
    })
    return {}
  })
}

/** Lets the directory of a workspace end any number of memberships for an hour. */
export async function confirmScim(
  {
    stores,
    principal,
    now,
  }: RequestContext<Omit<Stores, 'scimTokens'> & { scimGuards: ScimGuardStore }>,
  request: WorkspaceRequest,
): Promise<ScimConfirmation> {
  const end = endOfConfirmation(now)
  return stores.transaction(async (tx) => {
    const workspaceId = await lockWorkspace(tx.workspaces, request.workspace_id)
    await tx.scimGuards.confirm(workspaceId, end, now)
    const expiresAt = end.toISOString()
    await tx.activity.record(actorOf(principal), {
      action: 'scim.confirmed',
      targetId: workspaceId,
      workspaceId,
      detail: { expires_at: expiresAt },
    })
    return { expires_at: expiresAt }
  })
}
