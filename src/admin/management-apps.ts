import type {
  ListManagementAppsRequest,
  ListManagementAppsResponse,
  ManagementAppCreateRequest,
  ManagementAppRequest,
  ManagementAppResponse,
  ManagementAppRotateRequest,
  ManagementAppUpdateRequest,
} from '../../gen/daikon/v1/admin_apps.ts'
import type { DeleteResponse } from '../../gen/daikon/v1/workspaces.ts'
import { actorOf, userIdOf } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { ServiceError } from '../core/errors.ts'
import { newId } from '../core/new-id.ts'
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import { isoTime } from '../database/sql-values.ts'
import { createManagementSecret, managementSecretPrefix } from '../identity/management-apps.ts'
import { hashSecret } from '../identity/secret.ts'
import type {
  ManagementAppStore,
  StoredManagementApp,
} from '../identity/store/management-app-store.ts'
import type { RevocationStore } from '../identity/store/revocation-store.ts'
import { reasons } from './reasons.ts'

type AppStores = {
  activity: ActivityStore
  managementApps: ManagementAppStore
  revocations: RevocationStore
}

/** Lists all management apps, oldest first. */
export async function listManagementApps(
  { stores }: Pick<RequestContext<AppStores>, 'stores'>,
  _request: ListManagementAppsRequest,
): Promise<ListManagementAppsResponse> {
  const apps = await stores.managementApps.list()
  return { management_apps: apps.map((app) => toResponse(app)) }
}

/** Creates a management app with its first secret. Only this response contains the secret. */
export async function createManagementApp(
  { stores, principal }: WriteContext<AppStores>,
  request: ManagementAppCreateRequest,
): Promise<ManagementAppResponse> {
  const actor = actorOf(principal)
  const id = newId()
  const name = request.name.trim()
  const scopes = sortScopes(request.scopes)
  return stores.transaction(async (tx) => {
    await tx.managementApps.insert({ id, name, scopes, createdBy: userIdOf(actor) })
    const secret = await insertSecret(tx.managementApps, id)
    const detail = {
      name,
      scopes: scopes.join(' '),
      secret_prefix: managementSecretPrefix(secret),
    }
    await tx.activity.record(actor, { action: 'management_app.created', targetId: id, detail })
    return toResponse(await requireManagementApp(tx.managementApps, id), secret)
  })
}

/**
 * Changes a management app. Its tokens have the scopes that it has now. They end with its
 * deactivation, so that they do not become valid again.
 */
export async function updateManagementApp(
  { stores, principal }: WriteContext<AppStores>,
  request: ManagementAppUpdateRequest,
): Promise<ManagementAppResponse> {
  const actor = actorOf(principal)
  const { scopes, is_active: isActive } = request
  const changes = {
    name: request.name?.trim(),
    scopes: scopes.length > 0 ? sortScopes(scopes) : undefined,
    isActive,
  }
  return stores.transaction(async (tx) => {
    const before = await requireManagementApp(tx.managementApps, request.management_app_id)
    const { id } = before
    await tx.managementApps.update(id, changes)
    const app = await requireManagementApp(tx.managementApps, id)
    if (!app.isActive) await tx.revocations.denyClientTokens(id)
    if (describe(app) !== describe(before)) {
      const detail = { name: app.name, scopes: app.scopes.join(' ') }
      await tx.activity.record(actor, { action: 'management_app.updated', targetId: id, detail })
    }
    if (app.isActive !== before.isActive) {
      const action = app.isActive ? 'management_app.activated' : 'management_app.deactivated'
      await tx.activity.record(actor, { action, targetId: id, detail: { name: app.name } })
    }
    return toResponse(app)
  })
}

/**
 * Creates a new secret. Previous secrets expire after `overlap_seconds`, or earlier if they were
 * already due to. Without an overlap, tokens end as well, because a leaked secret may have issued
 * them.
 */
export async function rotateManagementApp(
  { stores, principal }: WriteContext<AppStores>,
  { management_app_id, overlap_seconds = 86_400 }: ManagementAppRotateRequest,
): Promise<ManagementAppResponse> {
  return stores.transaction(async (tx) => {
    const { id, name } = await requireManagementApp(tx.managementApps, management_app_id)
    await tx.managementApps.expireSecrets(id, overlap_seconds)
    if (overlap_seconds === 0) await tx.revocations.denyClientTokens(id)
    const secret = await insertSecret(tx.managementApps, id)
    await tx.activity.record(actorOf(principal), {
      action: 'management_app.secret_rotated',
      targetId: id,
      detail: {
        name,
        secret_prefix: managementSecretPrefix(secret),
        overlap_seconds: String(overlap_seconds),
      },
    })
    return toResponse(await requireManagementApp(tx.managementApps, id), secret)
  })
}

/** Deletes a management app with its secrets, and ends its tokens. */
export async function deleteManagementApp(
  { stores, principal }: WriteContext<AppStores>,
  { management_app_id }: ManagementAppRequest,
): Promise<DeleteResponse> {
  return stores.transaction(async (tx) => {
    const { id, name } = await requireManagementApp(tx.managementApps, management_app_id)
    await tx.revocations.denyClientTokens(id)
    await tx.managementApps.delete(id)
    const event = { action: 'management_app.deleted', targetId: id, detail: { name } } as const
    await tx.activity.record(actorOf(principal), event)
    return {}
  })
}

/** Locks and returns a management app, so that concurrent changes run one after the other. */
async function requireManagementApp(
  managementApps: ManagementAppStore,
  id: string,
): Promise<StoredManagementApp> {
  const app = await managementApps.lock(id)
  if (app) return app
  throw new ServiceError(reasons.MANAGEMENT_APP_NOT_FOUND)
}

/** Stores the hash of a new secret and returns the secret. */
async function insertSecret(managementApps: ManagementAppStore, id: string): Promise<string> {
  const secret = createManagementSecret()
  const stored = { hash: hashSecret(secret), prefix: managementSecretPrefix(secret) }
  await managementApps.insertSecret(id, stored)
  return secret
}

function sortScopes(scopes: string[]): string[] {
  return [...new Set(scopes)].toSorted()
}

/** Returns the settings whose changes `management_app.updated` reports. */
function describe({ name, scopes }: StoredManagementApp): string {
  return JSON.stringify([name, scopes])
}

function toResponse(app: StoredManagementApp, secret?: string): ManagementAppResponse {
  const { id, name, scopes, isActive, secretPrefix, lastUsedAt, createdBy, createdAt } = app
  return {
    id,
    client_id: id,
    name,
    scopes,
    is_active: isActive,
    secret_prefix: secretPrefix,
    ...(lastUsedAt && { last_used_at: isoTime(lastUsedAt) }),
    ...(createdBy && { created_by: createdBy }),
    created_at: isoTime(createdAt),
    ...(secret !== undefined && { client_secret: secret }),
  }
}
