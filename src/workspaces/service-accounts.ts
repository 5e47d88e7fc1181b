import type {
  ListServiceAccountsResponse,
  ServiceAccountCreateRequest,
  ServiceAccountDeleteRequest,
  ServiceAccountRequest,
  ServiceAccountResponse,
  ServiceAccountUpdateRequest,
} from '../../gen/daikon/v1/service_accounts.ts'
import type { DeleteResponse, WorkspaceRequest } from '../../gen/daikon/v1/workspaces.ts'
import { actorOf } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { changedFields } from '../core/changed-fields.ts'
import { invalidArgument, ServiceError } from '../core/errors.ts'
import { noExpiry, readExpiry } from '../core/expiry.ts'
import { newId } from '../core/new-id.ts'
import { type QuotaContext, quotaExceeded } from '../core/quotas.ts'
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import type { Role } from '../core/roles.ts'
import type { RolloutStore } from '../database/rollout-store.ts'
import { isoTime } from '../database/sql-values.ts'
import type { ApiKeyStore } from '../identity/store/api-key-store.ts'
import type { RevocationStore } from '../identity/store/revocation-store.ts'
import { lockWorkspace } from './member-rules.ts'
import { createNamedEvent } from './named-objects.ts'
import { reasons } from './reasons.ts'
import type { MemberStore } from './store/member-store.ts'
import type {
  ServiceAccount,
  ServiceAccountId,
  ServiceAccountStore,
} from './store/service-account-store.ts'
import type { WorkspaceStore } from './store/workspace-store.ts'
import { requireWorkspaceExists } from './workspaces.ts'

type AccountStores = {
  activity: ActivityStore
  apiKeys: ApiKeyStore
  members: MemberStore
  revocations: RevocationStore
  rollout: RolloutStore
  serviceAccounts: ServiceAccountStore
  workspaces: WorkspaceStore
}
type AccountContext = WriteContext<AccountStores> & Pick<RequestContext, 'now'>

/** The migration that adds service accounts. */
const serviceAccountMigration = 40

/** Lists the service accounts of a workspace, by name. */
export async function listServiceAccounts(
  { stores }: RequestContext<AccountStores>,
  { workspace_id }: WorkspaceRequest,
): Promise<ListServiceAccountsResponse> {
  const accounts = await stores.serviceAccounts.list(workspace_id)
  if (accounts.length === 0) await requireWorkspaceExists(stores.workspaces, workspace_id)
  return { service_accounts: accounts.map(toResponse) }
}

/** Returns a service account. */
export async function getServiceAccount(
  { stores }: RequestContext<AccountStores>,
  request: ServiceAccountRequest,
): Promise<ServiceAccountResponse> {
  const account = await stores.serviceAccounts.find(idOf(request))
  if (!account) throw serviceAccountNotFound()
  return toResponse(account)
}

/** Creates a service account without credentials. */
export async function createServiceAccount(
  { stores, principal, quotas, now }: AccountContext & QuotaContext,
  request: ServiceAccountCreateRequest,
): Promise<ServiceAccountResponse> {
  const expiresAt = readExpiry(request.expires_at, now)
  const name = request.name.trim()
  const role = request.role as Role
  return stores.transaction(async (tx) => {
    const workspaceId = await lockWorkspace(tx.workspaces, request.workspace_id)
    const quota = 'MAX_SERVICE_ACCOUNTS_PER_WORKSPACE'
    if ((await tx.serviceAccounts.count(workspaceId)) >= quotas[quota])
      throw quotaExceeded(quotas, quota)
    await tx.rollout.requireAllNodesKnow(serviceAccountMigration, 'A service account')
    const id = newId()
    await tx.serviceAccounts.insert({ id, workspaceId, name, created_at: now })
    await tx.members.add({ workspaceId, userId: id }, role, now)
    if (expiresAt) await tx.members.update({ workspaceId, userId: id }, { expiresAt })
    const detail = { role, expires_at: expiresAt ?? noExpiry }
    const event = createNamedEvent('service_account.created', { id, workspaceId, name }, detail)
    await tx.activity.record(actorOf(principal), event)
    return toResponse(await requireServiceAccount(tx.serviceAccounts, { workspaceId, id }))
  })
}

/** Changes the name, role, status or end of a service account. Absent fields remain unchanged. */
export async function updateServiceAccount(
  { stores, principal, now }: AccountContext,
  request: ServiceAccountUpdateRequest,
): Promise<ServiceAccountResponse> {
  if (request.expires_at && request.never_expires)
    throw invalidArgument({
      field: 'never_expires',
      message: 'must not be combined with expires_at',
    })
  const newEnd = request.never_expires ? null : readExpiry(request.expires_at, now)
  return stores.transaction(async (tx) => {
    await lockWorkspace(tx.workspaces, request.workspace_id)
    const account = await requireServiceAccount(tx.serviceAccounts, idOf(request))
    const before = fieldsOf(account)
    const changes = changedFields(
      {
        name: request.name?.trim(),
        role: request.role as Role | undefined,
        isActive: request.is_active,
        expiresAt: newEnd === undefined ? before.expiresAt : newEnd,
      },
      before,
    )
    if (request.is_active === true && account.hasEnded && newEnd === undefined)
      throw invalidArgument({
        field: 'expires_at',
        message: 'must be extended or removed to activate a service account that has ended',
      })
    if (!changes) return toResponse(account)
    const { workspaceId, id } = account
    // Credentials that have ended must not come back with the account.
    if (changes.isActive === false || account.hasEnded) await endCredentials(tx, id)
    await tx.serviceAccounts.update(id, changes)
    await tx.members.update({ workspaceId, userId: id }, changes)
    const after = { ...before, ...changes }
    const event = createNamedEvent(
      'service_account.updated',
      { ...after, id, workspaceId },
      {
        role: after.role,
        is_active: String(after.isActive),
        expires_at: after.expiresAt ?? noExpiry,
      },
    )
    await tx.activity.record(actorOf(principal), event)
    return toResponse(await requireServiceAccount(tx.serviceAccounts, account))
  })
}

/** Deletes a service account, after its resources have been transferred to another member. */
export async function deleteServiceAccount(
  { stores, principal }: WriteContext<AccountStores>,
  request: ServiceAccountDeleteRequest,
): Promise<DeleteResponse> {
  const heir = request.transfer_to
  if (heir === request.service_account_id)
    throw invalidArgument({ field: 'transfer_to', message: 'must be another member' })
  return stores.transaction(async (tx) => {
    await lockWorkspace(tx.workspaces, request.workspace_id)
    const account = await requireServiceAccount(tx.serviceAccounts, idOf(request))
    const { workspaceId, id } = account
    const resources = await tx.serviceAccounts.countResources(id)
    if (resources > 0) {
      if (!heir) throw ownsResources()
      await tx.members.keep(workspaceId, [heir])
      if (!(await tx.members.exists({ workspaceId, userId: heir })))
        throw invalidArgument({
          field: 'transfer_to',
          message: 'must be a member of the workspace',
        })
      await tx.serviceAccounts.transferResources(id, heir)
    }
    await endCredentials(tx, id)
    await tx.serviceAccounts.delete(id)
    const detail = { resources: String(resources) }
    const event = createNamedEvent('service_account.deleted', account, detail)
    await tx.activity.record(actorOf(principal), event)
    return {}
  })
}

/** Ends the API keys of a service account, and the tokens that client apps have obtained for it. */
async function endCredentials(
  { apiKeys, revocations }: Pick<AccountStores, 'apiKeys' | 'revocations'>,
  id: string,
): Promise<void> {
  await apiKeys.end(id)
  await revocations.denyAccountTokens(id)
}

/** Locks a service account until the end of the transaction, or throws. */
export async function requireServiceAccount(
  accounts: ServiceAccountStore,
  id: ServiceAccountId,
): Promise<ServiceAccount> {
  const account = await accounts.lock(id)
  if (!account) throw serviceAccountNotFound()
  return account
}

export function idOf({
  workspace_id,
  service_account_id,
}: ServiceAccountRequest): ServiceAccountId {
  return { workspaceId: workspace_id, id: service_account_id }
}

/** The fields that an update can change. */
function fieldsOf({ name, role, isActive, expiresAt }: ServiceAccount) {
  return { name, role, isActive, expiresAt: expiresAt && isoTime(expiresAt) }
}

function toResponse(account: ServiceAccount): ServiceAccountResponse {
  const { id, workspaceId, name, role, isActive, hasEnded, expiresAt, createdAt } = account
  return {
    id,
    workspace_id: workspaceId,
    name,
    role,
    is_active: isActive && !hasEnded,
    created_at: isoTime(createdAt),
    ...(expiresAt !== null && { expires_at: isoTime(expiresAt) }),
  }
}

export function serviceAccountNotFound(): ServiceError {
  return new ServiceError(reasons.SERVICE_ACCOUNT_NOT_FOUND)
}

function ownsResources(): ServiceError {
  return new ServiceError(
    reasons.OWNS_RESOURCES,
    'The service account owns resources. Name a member in transfer_to.',
  )
}
