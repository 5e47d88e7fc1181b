import type {
  ApiKeyCreateRequest,
  ApiKeyRequest,
  ApiKeyResponse,
  ListApiKeysResponse,
  ServiceAccountRequest,
} from '../../gen/daikon/v1/service_accounts.ts'
import type { DeleteResponse } from '../../gen/daikon/v1/workspaces.ts'
import { actorOf } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { invalidArgument, ServiceError } from '../core/errors.ts'
import { noExpiry, readExpiry } from '../core/expiry.ts'
import { newId } from '../core/new-id.ts'
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import { isoTime } from '../database/sql-values.ts'
import { apiKeyPrefix, createApiKey } from '../identity/api-keys.ts'
import { hashSecret } from '../identity/secret.ts'
import type { ApiKeyStore, StoredApiKey } from '../identity/store/api-key-store.ts'
import { reasons } from './reasons.ts'
import { idOf, requireServiceAccount, serviceAccountNotFound } from './service-accounts.ts'
import type { ServiceAccountStore } from './store/service-account-store.ts'

type KeyStores = {
  activity: ActivityStore
  apiKeys: ApiKeyStore
  serviceAccounts: ServiceAccountStore
}

/** The maximum number of keys of a service account, including expired ones. */
const maxKeys = 10

const maxYears = 2

/** Lists the API keys of a service account, oldest first. */
export async function listApiKeys(
  { stores }: RequestContext<KeyStores>,
  request: ServiceAccountRequest,
): Promise<ListApiKeysResponse> {
  const account = await stores.serviceAccounts.find(idOf(request))
  if (!account) throw serviceAccountNotFound()
  return { keys: (await stores.apiKeys.list(account.id)).map(toResponse) }
}

/** Creates an API key. Only this response contains it. */
export async function createKey(
  { stores, principal, now }: WriteContext<KeyStores> & Pick<RequestContext, 'now'>,
  request: ApiKeyCreateRequest,
): Promise<ApiKeyResponse> {
  const expiresAt = readKeyExpiry(request.expires_at, now)
  const key = createApiKey()
  const id = newId()
  return stores.transaction(async (tx) => {
    const account = await requireServiceAccount(tx.serviceAccounts, idOf(request))
    if (!account.isActive || account.hasEnded)
      throw new ServiceError(reasons.SERVICE_ACCOUNT_INACTIVE)
    if ((await tx.apiKeys.list(account.id)).length >= maxKeys) throw tooManyKeys()
    const named = { name: request.name.trim(), prefix: apiKeyPrefix(key) }
    await tx.apiKeys.insert({ id, userId: account.id, hash: hashSecret(key), ...named, expiresAt })
    await tx.activity.record(actorOf(principal), {
      action: 'api_key.created',
      targetId: id,
      workspaceId: account.workspaceId,
      detail: {
        name: named.name,
        key_prefix: named.prefix,
        service_account_id: account.id,
        expires_at: expiresAt ?? noExpiry,
      },
    })
    const created = (await tx.apiKeys.list(account.id)).find((stored) => stored.id === id)
    return { ...toResponse(created as StoredApiKey), key }
  })
}

/** Ends an API key. From the response on, no node accepts it. */
export async function deleteKey(
  { stores, principal }: WriteContext<KeyStores>,
  request: ApiKeyRequest,
): Promise<DeleteResponse> {
  return stores.transaction(async (tx) => {
    const account = await requireServiceAccount(tx.serviceAccounts, idOf(request))
    const [ended] = await tx.apiKeys.end(account.id, request.key_id)
    if (!ended) throw new ServiceError(reasons.API_KEY_NOT_FOUND)
    await tx.activity.record(actorOf(principal), {
      action: 'api_key.deleted',
      targetId: ended.id,
      workspaceId: account.workspaceId,
      detail: { name: ended.name, key_prefix: ended.prefix, service_account_id: account.id },
    })
    return {}
  })
}

function readKeyExpiry(expiresAt: string | undefined, now: Date): string | undefined {
  const time = readExpiry(expiresAt, now)
  const latest = new Date(now)
  latest.setUTCFullYear(now.getUTCFullYear() + maxYears)
  if (time === undefined || new Date(time) <= latest) return time
  const message = `must be at most ${maxYears} years in the future`
  throw invalidArgument({ field: 'expires_at', message })
}

function toResponse(key: StoredApiKey): ApiKeyResponse {
  const { id, userId, name, prefix, createdAt, expiresAt, lastUsedAt } = key
  return {
    id,
    service_account_id: userId,
    name,
    prefix,
    created_at: isoTime(createdAt),
    ...(expiresAt !== null && { expires_at: isoTime(expiresAt) }),
    ...(lastUsedAt !== null && { last_used_at: isoTime(lastUsedAt) }),
  }
}

function tooManyKeys(): ServiceError {
  return new ServiceError(
    reasons.TOO_MANY_API_KEYS,
    `A service account has at most ${maxKeys} API keys. Delete one first.`,
  )
}
